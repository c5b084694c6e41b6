import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'
import { changedSince } from './plugins/changed-since/index.ts'

describe('docs/how-to/own-plugin.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('own-plugin', { plugins: [...plugins, changedSince()] })
  })
  after(() => recipe.close())

  it('shows the responses that the application returns', () => runRecipe('own-plugin', recipe))

  it('sets Sync-Time on collections only, a minute before the response', async () => {
    const before = Date.now()
    const { headers } = await recipe.client.get('/notes')
    const sent = new Date(headers.get('sync-time') as string).getTime()
    expect(sent + 60_000).to.be.within(before, Date.now())
    for (const path of ['/notes/1', '/notes?sort=unknown', '/nowhere']) {
      expect((await recipe.client.get(path)).headers.has('sync-time'), path).to.equal(false)
    }
  })

  it('returns a note that was changed after the last Sync-Time', async () => {
    const { headers } = await recipe.client.get('/notes')
    const change = { data: { type: 'notes', id: '1', attributes: { title: 'Changed' } } }
    expect((await recipe.client.patch('/notes/1', change)).status).to.equal(200)
    const { body } = await recipe.client.get(`/notes?changedSince=${headers.get('sync-time')}`)
    expect(body.data.map(({ id }: { id: string }) => id)).to.deep.equal(['1'])
  })

  for (const value of ['', '2026', '2026-13-01T00:00:00Z', '2026-01-01T00:00:00', 'now', '[a]=b']) {
    it(`returns 400 for changedSince=${value}`, async () => {
      const query = value.startsWith('[') ? `changedSince${value}` : `changedSince=${value}`
      const { status, body } = await recipe.client.get(`/notes?${query}`)
      expect(status).to.equal(400)
      expect(body.errors[0].source).to.deep.equal({ parameter: 'changedSince' })
    })
  }

  it('describes the parameter and the header in OpenAPI', async () => {
    const response = await fetch(`${recipe.client.url}/docs.json`)
    const { get } = ((await response.json()) as Described).paths['/notes'] as Described['paths'][string]
    expect(get.parameters.map(({ name }) => name)).to.include('changedSince')
    expect(get.responses[200]?.headers).to.have.property('Sync-Time')
  })
})

interface Described {
  readonly paths: Record<
    string,
    {
      readonly get: {
        readonly parameters: readonly { readonly name?: string }[]
        readonly responses: Record<number, { readonly headers: object }>
      }
    }
  >
}
