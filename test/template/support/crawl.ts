import { expect } from 'chai'
import type { Server } from '#kernel/plugin'
import type { Client, ClientResponse } from '#test/support/client.ts'
import { as } from '#test/support/principals.ts'

/** A principal that may see all rows. */
const admin = as('admin')

/**
 * Follows every link that a server returns, except those of actions, from every collection with every relation included; asserts that each link
 * belongs to the server and returns a success. Follows at most `most` links of a kind. Returns the visited paths.
 */
export async function crawl(client: Client, server: Server, most = Number.POSITIVE_INFINITY): Promise<string[]> {
  const base = client.url + server.prefix
  const starts = startUrls(server, base)
  const visited = new Set<string>()
  const counts = new Map<string, number>()
  const isWanted = (url: string) => {
    const kind = pathKind(url.slice(base.length))
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    return count <= most
  }
  let open = starts
  while (open.length > 0) {
    const responses = await Promise.all(open.map((url) => client.get(url, admin)))
    open.forEach((url, index) => {
      expectFound(url, responses[index] as ClientResponse, starts.includes(url))
      visited.add(url)
    })
    const links = [...new Set(responses.flatMap(linksIn))]
    for (const url of links) expect(url.startsWith(`${base}/`), `${url} is a link of this server`).to.equal(true)
    const reads = links.filter((url) => !url.includes('/-actions/'))
    open = reads.filter((url) => !visited.has(url) && isWanted(url))
  }
  return [...visited].map((url) => url.slice(base.length))
}

/** Returns the URL of every collection, also with small pages and with each of its relations included. */
function startUrls({ types }: Server, base: string): string[] {
  return [...types.values()]
    .filter(({ operations }) => operations.has('FetchCollection'))
    .flatMap(({ uriType, relations }) => {
      const collection = `${base}/${uriType}`
      return [collection, `${collection}?page[size]=1`, ...relations.map(({ name }) => `${collection}?include=${name}`)]
    })
}

/** Asserts a success; only an include at a start URL may be invalid. */
function expectFound(url: string, { status, text }: ClientResponse, isStart: boolean): void {
  const isInvalidInclude = isStart && url.includes('include=') && status === 400
  expect(isInvalidInclude || status === 200 || status === 303, `${url}: ${status} ${text}`).to.equal(true)
}

function linksIn({ status, body, text, headers }: ClientResponse): string[] {
  if (status === 400) return []
  const location = headers.get('location')
  return [...(location ? [location] : []), ...urlsIn(body && JSON.parse(text))]
}

/** Returns the values of every `links` object at any depth. */
function urlsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'links' ? Object.values(member as object).map(readHref) : urlsIn(member),
  )
}

function readHref(link: string | { readonly href: string }): string {
  return typeof link === 'string' ? link : link.href
}

/** Returns the path without ids, and the families of the query. */
function pathKind(path: string): string {
  const [pathname = '', query = ''] = path.split('?')
  const segments = pathname.split('/').map((segment, index) => (index === 2 ? '*' : segment))
  const families = [...new URLSearchParams(query).keys()].map((name) => name.split('[')[0])
  return `${segments.join('/')}?${[...new Set(families)].toSorted().join()}`
}
