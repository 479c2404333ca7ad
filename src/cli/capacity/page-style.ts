/** Style sheet of the capacity page, light and dark. */

/** The style sheet; it refers to nothing outside the page. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1c2230; --soft: #5d6678; --paper: #fbfbfd; --card: #ffffff; --line: #dfe3ea;
  --c1: #2563c9; --c2: #d9480f; --c3: #2b8a3e; --c4: #862e9c; --c5: #b08900; --good: #2b8a3e; --model: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7eaf0; --soft: #9aa3b5; --paper: #12151c; --card: #1a1f29; --line: #303846;
  --c1: #74a7ff; --c2: #ff9257; --c3: #69db7c; --c4: #da8fee; --c5: #f0c95a; --good: #69db7c; --model: #f0c95a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 32px 20px 64px; }
h1 { font-size: 30px; margin: 0; } h2 { font-size: 19px; margin: 0 0 8px; } h3 { font-size: 15px; margin: 24px 0 8px; }
.facts, .note { color: var(--soft); font-size: 13px; } .facts { margin: 4px 0 24px; }
p { max-width: 80ch; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 20px 24px; margin: 0 0 20px; }
svg { display: block; width: 100%; height: auto; margin: 12px 0 4px; font: 12px system-ui, sans-serif; }
.grid { stroke: var(--line); } .axis { stroke: var(--soft); } .mark { stroke: var(--soft); stroke-dasharray: 4 4; }
.tick { fill: var(--soft); } .label { fill: var(--ink); } .end { text-anchor: end; } .mid { text-anchor: middle; }
.series polyline { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
.series circle { fill: var(--card); stroke: currentColor; stroke-width: 2; }
.s1 { color: var(--c1); } .s2 { color: var(--c2); } .s3 { color: var(--c3); } .s4 { color: var(--c4); } .s5 { color: var(--c5); }
rect.s1, rect.s2, rect.s3, rect.s4, rect.s5 { fill: currentColor; }
.cell { fill: var(--c1); stroke: var(--line); } .cell-id { fill: var(--soft); font-size: 10px; }
.cell-value { fill: var(--ink); font-size: 12px; } .on-fill { fill: var(--card); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0 0 8px; font-size: 13px; }
.legend i { display: inline-block; width: 12px; height: 12px; border-radius: 3px; background: currentColor; margin-right: 6px; vertical-align: -1px; }
/** Shadows at the edges of a scrolled element; covers scroll with the content and hide them at its ends. */
.scroll { overflow-x: auto; background:
  linear-gradient(to right, var(--card) 40%, transparent) left / 36px 100% no-repeat local,
  linear-gradient(to left, var(--card) 40%, transparent) right / 36px 100% no-repeat local,
  linear-gradient(to right, var(--line), transparent) left / 12px 100% no-repeat scroll,
  linear-gradient(to left, var(--line), transparent) right / 12px 100% no-repeat scroll; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; margin: 8px 0; }
th, td { text-align: right; padding: 5px 6px; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; font-size: 13px; } th:first-child, td:first-child { text-align: left; }
code { font-size: 13px; } .basis { display: inline-block; font-size: 10px; font-weight: 600; padding: 0 5px; border-radius: 8px; border: 1px solid; vertical-align: 1px; }
.measured { color: var(--good); } .modelled { color: var(--model); }
@media (max-width: 700px) { main { padding: 24px 12px 48px; } section { padding: 16px 14px; } svg { min-width: 560px; } }
`;
