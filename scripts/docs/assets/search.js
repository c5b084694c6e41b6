// Search over the headings and texts of all pages. The index is loaded when the field gets the focus.

const input = document.querySelector('#search')
const list = document.querySelector('#results')
const base = document.documentElement.dataset.base
let selected = -1

input.addEventListener('focus', loadIndex, { once: true })
input.addEventListener('input', showResults)
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') select(selected + 1)
  else if (event.key === 'ArrowUp') select(selected - 1)
  else if (event.key === 'Enter') list.children[Math.max(selected, 0)]?.querySelector('a').click()
  else if (event.key === 'Escape') close()
  else return
  event.preventDefault()
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.matches('input, textarea')) return
  event.preventDefault()
  input.focus()
})
document.addEventListener('click', (event) => {
  if (!event.target.closest('.search')) close()
})

function loadIndex() {
  const script = document.createElement('script')
  script.src = `${base}/search-index.js`
  script.onload = showResults
  document.head.append(script)
}

function showResults() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  const found = words.length > 0 ? findEntries(words) : []
  list.replaceChildren(...found.map((entry, number) => toItem(entry, words, number)))
  if (words.length > 0 && found.length === 0 && globalThis.searchIndex) list.append('No page contains these words.')
  setOpen(list.childNodes.length > 0)
  selected = -1
}

/** Returns the entries that contain all words: in the title, in the heading or in the text; the best 12. */
function findEntries(words) {
  const scored = (globalThis.searchIndex ?? []).map((entry) => ({ entry, score: scoreEntry(entry, words) }))
  const matches = scored.filter(({ score }) => score > 0).sort((left, right) => right.score - left.score)
  return matches.slice(0, 12).map(({ entry }) => entry)
}

function scoreEntry([title, heading, , text], words) {
  let total = 0
  for (const word of words) {
    const score = scoreIn(title, word, heading === '' ? 40 : 8) + scoreIn(heading, word, 20) + scoreIn(text, word, 2)
    if (score === 0) return 0
    total += score
  }
  return total
}

/** A word at the start of a word of the text counts double. */
function scoreIn(text, word, weight) {
  const lower = ` ${text.toLowerCase()}`
  if (!lower.includes(word)) return 0
  return new RegExp(`[^\\p{L}]${escapePattern(word)}`, 'u').test(lower) ? weight * 2 : weight
}

function escapePattern(text) {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

function toItem([title, heading, url, text], words, number) {
  const item = document.createElement('li')
  item.id = `result-${number}`
  item.role = 'option'
  const link = document.createElement('a')
  link.href = `${base}/${url}`
  link.tabIndex = -1
  const strong = document.createElement('strong')
  strong.textContent = heading === '' ? title : `${title} › ${heading}`
  const excerpt = document.createElement('span')
  excerpt.append(...highlight(cutExcerpt(text, words), words))
  link.append(strong, excerpt)
  item.append(link)
  link.addEventListener('click', close)
  return item
}

function cutExcerpt(text, words) {
  const positions = words.map((word) => text.toLowerCase().indexOf(word)).filter((position) => position >= 0)
  const start = Math.max(0, Math.min(...positions, text.length) - 40)
  return (start > 0 ? '…' : '') + text.slice(start, start + 140)
}

function highlight(text, words) {
  return text.split(new RegExp(`(${words.map(escapePattern).join('|')})`, 'iu')).map((part, position) => {
    if (position % 2 === 0) return part
    const mark = document.createElement('mark')
    mark.textContent = part
    return mark
  })
}

function select(number) {
  const { children } = list
  if (children.length === 0) return
  children[selected]?.removeAttribute('aria-selected')
  selected = (number + children.length) % children.length
  children[selected].setAttribute('aria-selected', 'true')
  children[selected].scrollIntoView({ block: 'nearest' })
  input.setAttribute('aria-activedescendant', children[selected].id)
}

function setOpen(open) {
  list.hidden = !open
  input.setAttribute('aria-expanded', String(open))
  if (!open) input.removeAttribute('aria-activedescendant')
}

function close() {
  setOpen(false)
  selected = -1
}
