"""The one style sheet of the site: light and dark as the reader's system has it."""

STYLE = """\
:root {
  color-scheme: light dark;
  --page: #fbfaf7;
  --ink: #1d2126;
  --soft: #5c6670;
  --line: #dcdad3;
  --stripe: #f2f0ea;
  --accent: #0b6b57;
  --warn: #8a4b00;
  --warn-page: #fff3dd;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #15181b;
    --ink: #e6e4de;
    --soft: #9aa3ab;
    --line: #31363b;
    --stripe: #1b1f23;
    --accent: #63cfb2;
    --warn: #f3c27a;
    --warn-page: #33270f;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto;
  max-width: 84rem;
  padding: 1.5rem clamp(1rem, 4vw, 2.5rem) 3rem;
  background: var(--page);
  color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif;
}
header { border-bottom: 1px solid var(--line); padding-bottom: 0.9rem; margin-bottom: 1.5rem; }
header p { margin: 0.15rem 0 0; color: var(--soft); }
h1 { margin: 0.3rem 0 0; font-size: 1.7rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2.2rem 0 0.6rem; font-size: 1.2rem; }
a { color: var(--accent); text-underline-offset: 0.15em; }
nav { font-size: 0.95rem; }
.practice {
  padding: 0.5rem 0.8rem;
  border-left: 4px solid var(--warn);
  background: var(--warn-page);
  color: var(--warn);
}
header .practice { color: var(--warn); margin-top: 0.7rem; }
.wide { overflow-x: auto; margin: 1rem 0; }
.wide:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.95rem; }
caption { text-align: left; padding-bottom: 0.4rem; color: var(--soft); }
th, td { padding: 0.4rem 0.75rem; text-align: right; white-space: nowrap; }
th { font-weight: 600; }
thead th { border-bottom: 2px solid var(--line); color: var(--soft); vertical-align: bottom; }
tbody tr:nth-child(even) { background: var(--stripe); }
tbody th { font-weight: 400; }
.text { text-align: left; }
svg.interval { display: block; width: 11rem; height: 1rem; }
svg.interval .zero { stroke: var(--line); }
svg.interval .span { stroke: var(--accent); stroke-width: 2; }
svg.interval circle { fill: var(--accent); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.3rem 1rem; margin: 0.6rem 0; }
dt { font-weight: 600; overflow-wrap: anywhere; }
dd { margin: 0; overflow-wrap: anywhere; }
li { margin: 0.25rem 0; overflow-wrap: anywhere; }
footer {
  margin-top: 3rem;
  border-top: 1px solid var(--line);
  padding-top: 0.8rem;
  color: var(--soft);
  font-size: 0.9rem;
}
@media (max-width: 34rem) {
  dl { grid-template-columns: 1fr; gap: 0.1rem; }
  dd { margin-bottom: 0.5rem; }
}
@media print {
  .wide { overflow: visible; }
}
"""
