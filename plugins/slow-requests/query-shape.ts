import type Koa from 'koa'

/** A family and its members, `filter[title]`, with the characters of names. */
const shape = /^(\w+)(?:\[[\w.-]{0,64}\])*$/
const maxNames = 50

/** Returns the names of the query parameters without values: `filter[title]&sort`. Unknown names are `?`. */
export function describeQueryShape({ querystring, state }: Koa.Context): string {
  const names = querystring.split('&', maxNames).flatMap((part) => {
    const [name = ''] = part.split('=', 1)
    if (name === '') return []
    const decoded = decode(name)
    const family = shape.exec(decoded)?.[1]
    return family !== undefined && state.exchange?.server?.parameters.has(family) ? [decoded] : ['?']
  })
  return [...new Set(names)].join('&')
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return ''
  }
}
