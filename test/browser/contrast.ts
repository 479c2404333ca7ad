/** Expressions that measure contrasts when a page evaluates them. */

/** Contrast of text by WCAG 2.2, level AA. */
export const TEXT_CONTRAST = 4.5;

/** Relative luminance and contrast, as WCAG 2.2 defines them, of colours as the browser computes them. */
const CONTRAST = `
  const parse = (text) => {
    const numbers = text.match(/[\\d.]+/g).map(Number);
    // Mixed colours are parts of 1.
    return text.startsWith('color(srgb') ? numbers.map((each, i) => (i < 3 ? 255 * each : each)) : numbers;
  };
  const luminance = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((each) => {
      const c = each / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };`;

/** Texts that are seen, each with its contrast with what is behind it. */
export const TEXT_CONTRASTS = `(() => {
  ${CONTRAST}
  const ground = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      const colour = parse(getComputedStyle(each).backgroundColor);
      if (colour[3] === undefined || colour[3] === 1) return colour;
    }
    throw new Error('no ground');
  };
  const behind = (element) => {
    // Text in a gate's box has the box behind it, the name above it has not.
    const box = element.matches('.feature') ? null : element.closest('.gate')?.querySelector('.box');
    return box ? parse(getComputedStyle(box).fill) : ground(element);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const text = walker.currentNode.data.trim();
    const element = walker.currentNode.parentElement;
    if (text === '' || !element.checkVisibility()) continue;
    if (element.closest('script, title, .unseen') !== null) continue;
    const style = getComputedStyle(element);
    const ink = parse(element instanceof SVGElement ? style.fill : style.color);
    found.push([text, contrast(ink, behind(element))]);
  }
  return found;
})()`;

/** Texts whose contrast is lower than that, of disabled buttons, too, which axe leaves out. */
export const LOW_TEXT_CONTRASTS = `${TEXT_CONTRASTS}.filter(([, contrast]) => !(contrast >= ${TEXT_CONTRAST}))`;

/** Colours of marks, each with its contrast with what it stands on. */
export const MARK_CONTRASTS = `(() => {
  ${CONTRAST}
  const probe = document.createElement('span');
  document.body.append(probe);
  const colour = (name) => {
    probe.style.setProperty('color', 'var(' + name + ')');
    return parse(getComputedStyle(probe).color);
  };
  const pairs = [
    ...['input', 'track', 'control', 'focus', 'sepal', 'class-0-fill', 'class-1-fill'].map(
      (mark) => [mark, 'card'],
    ),
    ['focus', 'ground'],
  ];
  const found = pairs.map(([mark, behind]) => [
    mark + ' on ' + behind,
    contrast(colour('--' + mark), colour('--' + behind)),
  ]);
  probe.remove();
  return found;
})()`;
