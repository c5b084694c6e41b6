import type { Page } from 'playwright-core'

/**
 * Finds breaches of rules of WCAG that a program can check: landmarks and headings, names of controls, ids, focus of scrollable
 * parts, and the contrast of texts. `excluded` is a selector of parts that others have written.
 */
export function accessibilityFaults(page: Page, excluded = 'none'): Promise<string[]> {
  return page.evaluate(`(${findFaults})(${JSON.stringify(excluded)})`)
}

/** Runs in the page. */
const findFaults = `(excluded) => {
  const faults = []
  const all = [...document.body.querySelectorAll('*')].filter((element) => !element.closest(excluded))
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  const describe = (element) => element.outerHTML.slice(0, 80)
  const fault = (rule, element) => faults.push(rule + ': ' + (element ? describe(element) : ''))
  const count = (selector) => all.filter((element) => element.matches(selector)).length
  if (!document.documentElement.lang) fault('the page has a language')
  if (!document.title) fault('the page has a title')
  if (count('main') !== 1) fault('one main landmark')
  if (count('h1') !== 1) fault('one heading of the first level')
  const ids = all.map(({ id }) => id).filter(Boolean)
  for (const id of new Set(ids.filter((id, index) => ids.indexOf(id) !== index))) faults.push('unique ids: ' + id)
  let level = 0
  for (const heading of all.filter((element) => /^H[1-6]$/.test(element.tagName) && element.closest('main'))) {
    const next = Number(heading.tagName[1])
    if (next > level + 1) fault('levels of headings in order', heading)
    level = next
  }
  const landmarks = 'main, header, footer, nav, aside, [role=search], [role=region], .skip'
  for (const element of all.filter(isShown)) {
    const text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '')
    if (text && !element.closest(landmarks)) fault('text inside a landmark', element)
    const name = element.getAttribute('aria-label') || element.innerText?.trim() || element.labels?.[0]?.innerText
    if (element.matches('a[href], button, input, select, textarea, summary, [role=button]') && !name) fault('controls have names', element)
    if (element.matches('img') && !element.hasAttribute('alt')) fault('images have texts', element)
    if (element.matches('ul > :not(li), ol > :not(li)')) fault('lists contain entries', element)
    const { overflowX, overflowY, color, fontSize, fontWeight } = getComputedStyle(element)
    const scrolls = (size, room, overflow) => size > room + 1 && ['auto', 'scroll'].includes(overflow)
    const isScrollable = scrolls(element.scrollWidth, element.clientWidth, overflowX) || scrolls(element.scrollHeight, element.clientHeight, overflowY)
    if (isScrollable && element.tabIndex < 0 && !element.querySelector('a[href], button, input, [tabindex="0"]')) fault('scrollable parts have focus', element)
    if (element.matches('pre') && element.tabIndex < 0) fault('code blocks have focus', element)
    if (!text) continue
    const isLarge = parseFloat(fontSize) >= 24 || (parseFloat(fontSize) >= 18.66 && Number(fontWeight) >= 700)
    if (contrast(toColor(color), backgroundOf(element)) < (isLarge ? 3 : 4.5)) fault('contrast', element)
  }
  return faults

  function toColor(text) {
    const [red, green, blue, alpha = 1] = text.match(/[\\d.]+/g).map(Number)
    return [red, green, blue, alpha]
  }
  function backgroundOf(element) {
    for (let part = element; part; part = part.parentElement) {
      const color = toColor(getComputedStyle(part).backgroundColor)
      if (color[3] > 0) return color
    }
    return matchMedia('(prefers-color-scheme: dark)').matches && getComputedStyle(document.documentElement).colorScheme.includes('dark') ? [18, 18, 18] : [255, 255, 255]
  }
  function luminance(color) {
    const [red, green, blue] = color.map((part) => part / 255).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  function contrast(left, right) {
    const [light, dark] = [luminance(left), luminance(right)].sort((one, other) => other - one)
    return (light + 0.05) / (dark + 0.05)
  }
}`
