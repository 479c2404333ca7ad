/** Whatever the keyboard goes to is seen. */

/**
 * Scrolls what has the focus into view from now on, with its outline (`scroll-margin` in console.css). By themselves
 * browsers leave what a part that scrolls sideways shows half.
 */
export function showFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element) || !target.matches(':focus-visible')) return;
    target.scrollIntoView({ behavior: 'instant', block: 'nearest', inline: 'nearest' });
  });
}
