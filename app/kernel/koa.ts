import Koa from 'koa'

export function createKoa({ trustProxy }: { readonly trustProxy: boolean }): Koa {
  // Of the addresses in X-Forwarded-For, the one that the proxy itself has added.
  const koa = new Koa({ proxy: trustProxy, maxIpsCount: 1 })
  koa.response.vary = vary
  return koa
}

/** Koa's own takes apart all fields that are there for each that is added. */
function vary(this: Koa.Response, fields: string | string[]): void {
  if (this.headerSent) return
  let known = String(this.res.getHeader('Vary') ?? '')
  for (const field of typeof fields === 'string' ? fields.split(',') : fields) known = withField(known, field.trim())
  this.res.setHeader('Vary', known)
}

function withField(known: string, field: string): string {
  if (known === '' || field === '*') return field
  if (known === '*' || `, ${known},`.toLowerCase().includes(`, ${field.toLowerCase()},`)) return known
  return `${known}, ${field}`
}
