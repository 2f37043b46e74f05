/** Bar of a chart. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly isOurs: boolean;
}

/** Group of bars with a heading. Shorter bars are better. */
export interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
}

const width = 760;
const labels = 150;
const figures = 90;
const bar = 20;
const gap = 6;
const heading = 40;

/** Draws panels one below the other, as SVG. The same panels always give the same bytes. */
export function chart(title: string, description: string, panels: readonly Panel[]): string {
  const parts: string[] = [];
  let y = 8;
  for (const panel of panels) {
    const longest = Math.max(...panel.bars.map(({ value }) => value));
    parts.push(`  <text class="head" x="8" y="${y + 20}">${escape(panel.title)}</text>`);
    y += heading;
    for (const { label, value, isOurs } of panel.bars) {
      const length = ((width - labels - figures) * value) / longest;
      const middle = y + bar / 2 + 4;
      parts.push(
        `  <text class="label" x="${labels - 8}" y="${middle}">${escape(label)}</text>`,
        `  <rect class="${isOurs ? "ours" : "theirs"}" x="${labels}" y="${y}" width="${length.toFixed(1)}" height="${bar}" rx="3"/>`,
        `  <text class="figure" x="${(labels + length + 6).toFixed(1)}" y="${middle}">${value.toFixed(1)} ${escape(panel.unit)}</text>`,
      );
      y += bar + gap;
    }
    y += 14;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-labelledby="title desc">
  <title id="title">${escape(title)}</title>
  <desc id="desc">${escape(description)}</desc>
  <style>
    text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
    .head { font-weight: 600; font-size: 15px; }
    .label { text-anchor: end; }
    .figure { fill: #59636e; }
    .ours { fill: #2f6fde; }
    .theirs { fill: #c4ccd4; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .figure { fill: #9198a1; }
      .ours { fill: #4f83e0; }
      .theirs { fill: #3d444d; }
    }
  </style>
${parts.join("\n")}
</svg>
`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
