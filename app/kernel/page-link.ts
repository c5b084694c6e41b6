import type { PageLink } from './query.ts'

/** Makes links to other pages of a URL: the rest of its query string stays, brackets are encoded. */
export function pageLink(url: string, search: string): PageLink {
  const kept = [...new URLSearchParams(search)].filter(([name]) => name !== 'page' && !name.startsWith('page['))
  const kind = new URLSearchParams(search).get('page[kind]')
  return (params) => {
    const query = new URLSearchParams(kept)
    if (kind !== null) query.set('page[kind]', kind)
    for (const [key, value] of Object.entries(params)) query.set(`page[${key}]`, value)
    return `${url}?${query}`
  }
}
