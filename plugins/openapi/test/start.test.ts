import { readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'

type Part = ReturnType<typeof JSON.parse>
type Resolve = (document: object, path: readonly string[]) => Promise<{ readonly spec: Part }>

/** The function by which the page replaces references, without a browser. */
function loadResolver(): Resolve {
  const source = readFileSync(new URL('../ui/start.js', import.meta.url), 'utf8')
  let plugins: (() => { readonly fn?: { readonly resolveSubtree: Resolve } })[] = []
  const SwaggerUIBundle = Object.assign((options: { plugins: typeof plugins }) => ({ plugins } = options), {
    presets: {},
  })
  const document = { getElementById: () => ({ dataset: { documents: '[]' } }) }
  runInNewContext(source, { document, window: {}, SwaggerUIBundle, SwaggerUIStandalonePreset: {} })
  return plugins.map((plugin) => plugin().fn?.resolveSubtree).find((resolve) => resolve !== undefined) as Resolve
}

describe('The documentation page: references', () => {
  const resolve = loadResolver()
  const refer = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const documentWith = (schemas: object, part: object) => ({ paths: { '/x': { get: part } }, components: { schemas } })

  it('resolves a component once, however many references name it', async () => {
    const levels = Array.from({ length: 16 }, (_, level) => [
      `Level${level}`,
      { left: refer(`Level${level + 1}`), right: refer(`Level${level + 1}`) },
    ])
    const schemas = { ...Object.fromEntries(levels), Level16: { type: 'string' } }
    let { spec } = await resolve(documentWith(schemas, { schema: refer('Level0') }), ['paths', '/x', 'get'])
    spec = spec.schema
    for (let level = 0; level < 16; level++) {
      expect(spec.right.left).to.equal(spec.left.left)
      spec = spec.left
    }
    expect(spec).to.deep.equal({ type: 'string', $$ref: '#/components/schemas/Level16' })
  })

  it('keeps references of a component to itself, and resolves it where another path leads to it', async () => {
    const schemas = { A: { b: refer('B') }, B: { a: refer('A'), text: { type: 'string' } }, C: { b: refer('B') } }
    const { spec } = await resolve(documentWith(schemas, { first: refer('A'), second: refer('B') }), [
      'paths',
      '/x',
      'get',
    ])
    const text = { type: 'string' }
    const [$$refA, $$refB] = [refer('A').$ref, refer('B').$ref]
    expect(JSON.parse(JSON.stringify(spec))).to.deep.equal({
      first: { b: { a: refer('A'), text, $$ref: $$refB }, $$ref: $$refA },
      second: { a: { b: refer('B'), $$ref: $$refA }, text, $$ref: $$refB },
    })
  })

  it('keeps a reference to a component that does not exist', async () => {
    const { spec } = await resolve(documentWith({}, { schema: refer('Missing') }), ['paths', '/x', 'get'])
    expect(JSON.parse(JSON.stringify(spec))).to.deep.equal({ schema: refer('Missing') })
  })
})
