import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '#test/support/app.ts'

// The kernel knows no plugin: its identifiers and strings contain no word of a single plugin. Comments may, as examples.

/** Words of single plugins, in lower case without hyphens. */
const wordsOfPlugins = [
  'apikey',
  'atomic',
  'batch',
  'bearer',
  'cachecontrol',
  'cursor',
  'deprecation',
  'etag',
  'filterable',
  'idempoten',
  'ifmatch',
  'ifnonematch',
  'includedepth',
  'includepath',
  'loadshedding',
  'metrics',
  'openapi',
  'pagekind',
  'ratelimit',
  'relatedquery',
  'requireif',
  'retryafter',
  'rowsbyview',
  'softdelete',
  'sunset',
  'tenant',
  'trace',
  'tracing',
  'trash',
  'withcount',
]

/** Whole identifiers and strings that contain such a word, and why the kernel has them. */
const allowed: Readonly<Record<string, string>> = {
  Bearer: 'RFC 9110 requires a challenge in every 401, also of an application without the plugin that reads tokens',
  "The local id '{lid}' is accepted only in a batch of operations.": '`lid` is part of JSON:API documents',
  'A resource identifier has a `lid` outside a batch of operations.': 'the documentation of the same error',
  'Cache-Control': 'a response that depends on the requester is never public, whatever sets the header',
  "the include path 'albums.tracks'": 'an example of an error of `include`, which JSON:API defines',
  stackTraceLimit: 'a member of the Error of V8',
}

describe('Words of single plugins', () => {
  const tokens = globSync('app/kernel/**/*.ts', { cwd: root }).flatMap((file) =>
    tokensIn(readFileSync(join(root, file), 'utf8')).map((token) => ({ file, token })),
  )

  it('are in no identifier and no string of the kernel, except those that are allowed with a reason', () => {
    expect(tokens.map(({ token }) => token))
      .to.include('createApp')
      .and.to.include('application/vnd.api+json')
    const found = tokens.filter(({ token }) => !(token in allowed) && hasWordOfPlugin(token))
    expect(found.map(({ file, token }) => `${file}: ${token}`)).to.deep.equal([])
  })

  it('are allowed only in identifiers and strings that exist', () => {
    const used = new Set(tokens.map(({ token }) => token))
    expect(Object.keys(allowed).filter((token) => !used.has(token) || !hasWordOfPlugin(token))).to.deep.equal([])
  })
})

function hasWordOfPlugin(token: string): boolean {
  const letters = token.toLowerCase().replace(/[^a-z0-9]/g, '')
  return wordsOfPlugins.some((word) => letters.includes(word))
}

/** The identifiers of a source, and the contents of its strings. */
function tokensIn(source: string): string[] {
  const parts =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\])*)`|([A-Za-z_$][\w$]*)/g
  return [...source.matchAll(parts)].flatMap(([, ...found]) =>
    found.filter((part) => part !== undefined && part !== ''),
  )
}
