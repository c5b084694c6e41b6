import type { PageLink } from './query.ts'

/** Makes links to other pages of a URL: the rest of its query string stays, brackets are encoded. */
export function pageLink(url: string, search: string): PageLink {
  const sent = new URLSearchParams(search)
  const kept = new URLSearchParams([...sent].filter(([name]) => name !== 'page' && !name.startsWith('page[')))
  const kind = sent.get('page[kind]')
  const start = kept.size > 0 ? `${url}?${kept}&` : `${url}?`
  return (params) => {
    const page = Object.entries(kind === null ? params : { kind, ...params })
    return start + page.map(([key, value]) => `page%5B${key}%5D=${encodeURIComponent(value)}`).join('&')
  }
}
