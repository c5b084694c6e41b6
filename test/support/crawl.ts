import { expect } from 'chai'
import type { Server } from '#kernel/plugin'
import type { Answer, Client } from './client.ts'
import { as } from './principals.ts'

/** One that may see all. */
const admin = as('admin')

/**
 * Follows every link a server emits, from every collection, with everything included; each must be its own and answer.
 * Of links of one kind at most `most` are followed. Returns the paths that were visited.
 */
export async function crawl(client: Client, server: Server, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  const base = client.url + server.prefix
  const starts = entrances(server, base)
  const visited = new Set<string>()
  const counts = new Map<string, number>()
  const isWanted = (url: string) => {
    const kind = kindOf(url.slice(base.length))
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    return count <= most
  }
  let open = starts
  while (open.length > 0) {
    const answers = await Promise.all(open.map((url) => client.get(url, admin)))
    open.forEach((url, index) => {
      expectFound(url, answers[index] as Answer, starts.includes(url))
      visited.add(url)
    })
    const found = [...new Set(answers.flatMap(linksIn))]
    for (const url of found) expect(url.startsWith(`${base}/`), `${url} is a link of this server`).to.equal(true)
    open = found.filter((url) => !visited.has(url) && isWanted(url))
  }
  return [...visited].map((url) => url.slice(base.length))
}

/** Every collection as it is, in small pages, and with each of its relations included. */
function entrances({ types }: Server, base: string): string[] {
  return [...types.values()]
    .filter(({ operations }) => operations.has('FetchCollection'))
    .flatMap(({ uriType, relations }) => {
      const collection = `${base}/${uriType}`
      return [collection, `${collection}?page[size]=1`, ...relations.map(({ name }) => `${collection}?include=${name}`)]
    })
}

/** Which includes a collection takes is not for a crawler to know; all else answers. */
function expectFound(url: string, { status, text }: Answer, isEntrance: boolean): void {
  const refused = isEntrance && url.includes('include=') && status === 400
  expect(refused || (status >= 200 && status < 300) || status === 303, `${url}: ${status} ${text}`).to.equal(true)
}

function linksIn({ status, body, text, headers }: Answer): string[] {
  if (status === 400) return []
  const location = headers.get('location')
  return [...(location ? [location] : []), ...urlsIn(body && JSON.parse(text))]
}

/** The values of every `links` object, wherever it stands. */
function urlsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'links' ? Object.values(member as object).map(hrefOf) : urlsIn(member),
  )
}

function hrefOf(link: string | { readonly href: string }): string {
  return typeof link === 'string' ? link : link.href
}

/** The path without ids, and the families of the query. */
function kindOf(path: string): string {
  const [place = '', query = ''] = path.split('?')
  const segments = place.split('/').map((segment, index) => (index === 2 ? '*' : segment))
  const families = [...new URLSearchParams(query).keys()].map((name) => name.split('[')[0])
  return `${segments.join('/')}?${[...new Set(families)].toSorted().join()}`
}
