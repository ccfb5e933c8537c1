"""The strategies of the house bots. They know views and acts, nothing of the wire."""
