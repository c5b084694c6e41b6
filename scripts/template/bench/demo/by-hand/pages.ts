// Cursor pagination: a cursor contains the id of a row, in the format of the application.

type Direction = 'after' | 'before'

/** Returns the id in a cursor; undefined for the first page. */
export function decodeCursor(cursor: string | string[] | undefined): number | undefined {
  if (typeof cursor !== 'string') return undefined
  return JSON.parse(Buffer.from(cursor, 'base64url').toString()).v[0]
}

/** Returns links to the first page, to the page before one row and to the page after another. */
export function linksAround(url: string, size: number, before: unknown, after: unknown): Record<string, string> {
  const first = `${url}?page%5Bsize%5D=${size}`
  return {
    first,
    ...(before !== undefined && { prev: `${first}&page%5Bbefore%5D=${encodeCursor(before, 'before')}` }),
    ...(after !== undefined && { next: `${first}&page%5Bafter%5D=${encodeCursor(after, 'after')}` }),
  }
}

function encodeCursor(id: unknown, direction: Direction): string {
  return Buffer.from(JSON.stringify({ k: ['id'], v: [id], d: direction })).toString('base64url')
}
