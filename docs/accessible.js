// What the theme leaves without a name, or out of the keyboard's reach.
document.addEventListener('DOMContentLoaded', () => {
  document.querySelector('.md-search')?.setAttribute('aria-label', 'Search')
  document.querySelectorAll('.md-typeset pre > code, .md-typeset__scrollwrap').forEach((one) => { one.tabIndex = 0 })
  const name = () => document.querySelectorAll('.md-code__nav').forEach((one) => one.setAttribute('role', 'presentation'))
  name()
  new MutationObserver(name).observe(document.body, { childList: true, subtree: true })
})
