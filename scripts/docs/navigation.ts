import type { Tokens } from 'marked'
import { type Page, parsePage, withoutMarkup } from './markdown.ts'

/** A section of `docs/index.md` with its links. */
export interface Section {
  readonly title: string
  readonly links: readonly { readonly title: string; readonly href: string }[]
}

/** Returns the second-level headings of the index, and for each the links that are the first of their list item. */
export function readNavigation(index: Page): Section[] {
  const sections: { title: string; links: { title: string; href: string }[] }[] = []
  for (const token of index.tokens) {
    if (token.type === 'heading' && token.depth === 2)
      sections.push({ title: withoutMarkup(token.tokens ?? []), links: [] })
    if (token.type !== 'list') continue
    for (const item of (token as Tokens.List).items) {
      const [href] = parsePage(index.file, item.text).links
      if (href) sections.at(-1)?.links.push({ title: readLinkText(item), href })
    }
  }
  return sections
}

function readLinkText(item: Tokens.ListItem): string {
  return /\[([^\]]+)\]/.exec(item.text)?.[1]?.replaceAll('`', '') ?? ''
}
