import type { PageLink } from '../data/query.ts'

/** Creates links to other pages of a URL. The other query parameters are kept, brackets are encoded. */
export function pageLink(url: string, search: string): PageLink {
  const start = `${url}?${keepParameters(search)}`
  return (params) => {
    let link = start
    for (const key in params) link += `page%5B${key}%5D=${encodeURIComponent(params[key] as string)}&`
    return link.slice(0, -1)
  }
}

/** The query parameters without those of the page. */
function keepParameters(search: string): string {
  const sent = new URLSearchParams(search)
  const kept = new URLSearchParams([...sent].filter(([name]) => name !== 'page' && !name.startsWith('page[')))
  return kept.size > 0 ? `${kept}&` : ''
}
