import type Koa from 'koa'

// A compressed response has other bytes than the response it is made of, so its strong ETag differs: `"1-ab"` becomes
// `"1-ab-gzip"`. The suffix is private to this plugin: it is removed from conditional requests before they are evaluated.

const suffix = /-(?:zstd|br|gzip|deflate)(?=")/g
const conditions = ['if-match', 'if-none-match'] as const

/** Removes encodings from the entity tags of the request. */
export function hideEncodings({ headers }: Koa.Context): void {
  for (const name of conditions) {
    const header = headers[name]
    if (header !== undefined) headers[name] = header.replace(suffix, '')
  }
}

/** Adds the encoding to the ETag of a compressed response. The tag of a 304 is the one that the client sent. */
export function showEncoding({ status, response }: Koa.Context, sent: string): void {
  const tag = response.get('ETag')
  if (!/^"[^"]*"$/.test(tag)) return
  const encoding = response.get('Content-Encoding')
  const marked = sent.match(/"[^"]*"/g)?.find((one) => one !== tag && one.replace(suffix, '') === tag)
  if (encoding) response.set('ETag', `${tag.slice(0, -1)}-${encoding}"`)
  else if (status === 304 && marked) response.set('ETag', marked)
}
