import type { Layout } from './layout.ts'
import { type Page, withoutMarkup } from './markdown.ts'
import { sitePath } from './render.ts'

/** A heading with the text below it: title of the page, heading, URL, text. */
type Entry = readonly [title: string, heading: string, url: string, text: string]

/** Returns an entry per heading, the pages of the navigation first. */
export function searchIndex(root: string, pages: readonly Page[], navigation: Layout['navigation']): Entry[] {
  const order = navigation.flatMap(({ links }) => links.map(({ path }) => path))
  const rank = (page: Page) => order.indexOf(sitePath(root, page.file)) >>> 0
  return pages.toSorted((left, right) => rank(left) - rank(right)).flatMap((page) => listEntries(root, page))
}

function listEntries(root: string, { file, title, tokens, headings }: Page): Entry[] {
  const path = sitePath(root, file)
  return headings.map(({ token, text, anchor, depth }) => {
    const start = tokens.indexOf(token) + 1
    const length = tokens.slice(start).findIndex(({ type }) => type === 'heading')
    const content = withoutMarkup(tokens.slice(start, length < 0 ? undefined : start + length))
    return [
      title,
      depth === 1 ? '' : text,
      depth === 1 ? path : `${path}#${anchor}`,
      content.replace(/\s+/g, ' ').trim(),
    ]
  })
}
