"""A judge of one bot: it serves scripted frames, and says what a bot makes of them."""
