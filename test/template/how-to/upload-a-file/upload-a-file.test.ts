import { expect } from 'chai'
import { plugins } from '#app/plugins.ts'
import { as } from '#test/support/principals.ts'
import { statementsOf } from '#test/support/statements.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'
import { downloads } from './plugins/downloads/index.ts'

describe('docs/how-to/upload-a-file.md', () => {
  let recipe: Recipe
  before(async () => {
    const tokens = { ada: ['editor'], bob: [] }
    recipe = await startRecipe('upload-a-file', { tokens, plugins: [...plugins, downloads()] })
    await runRecipe('upload-a-file', recipe)
  })
  after(() => recipe.close())

  const download = (id: string, headers: Record<string, string> = as('bob')) =>
    fetch(`${recipe.client.url}/documents/${id}/content`, { headers })

  it('downloads the uploaded bytes as an attachment of the media type', async () => {
    const response = await download('1')
    expect(response.status).to.equal(200)
    expect(await response.text()).to.equal('Buy milk.\n')
    expect(response.headers.get('content-type')).to.match(/^text\/plain/)
    expect(response.headers.get('content-disposition')).to.equal('attachment; filename="notes.txt"')
    expect(response.headers.get('vary')).to.include('Authorization')
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff')
  })

  it('stores binary content unchanged', async () => {
    const bytes = Uint8Array.from({ length: 256 * 300 }, (_, index) => index % 256)
    const headers = { ...as('ada'), 'content-type': 'image/png' }
    const uploaded = await recipe.client.send('POST', '/documents/2/-actions/upload', { body: bytes, headers })
    expect(uploaded.status).to.equal(200)
    expect(new Uint8Array(await (await download('2')).arrayBuffer())).to.deep.equal(bytes)
  })

  it('returns 401, 404 or the errors of the policy like GET of the resource', async () => {
    expect((await download('1', {})).status).to.equal(401)
    expect((await download('7')).status).to.equal(404)
    expect((await download('x')).status).to.equal(404)
  })

  it('returns 404 when no file was uploaded', async () => {
    const attributes = { name: 'later.txt' }
    const { body } = await recipe.client.post('/documents', { data: { type: 'documents', attributes } }, as('ada'))
    expect((await download(body.data.id)).status).to.equal(404)
  })

  it('returns 413 for more than 5 MiB and stores nothing', async () => {
    const body = new Uint8Array(5 * 1024 * 1024 + 1)
    const headers = { ...as('ada'), 'content-type': 'text/plain' }
    expect((await recipe.client.send('POST', '/documents/1/-actions/upload', { body, headers })).status).to.equal(413)
    expect(await (await download('1')).text()).to.equal('Buy milk.\n')
  })

  it('does not read the content for other requests', async () => {
    const statements = await statementsOf(() => recipe.client.get('/documents', as('bob')))
    expect(statements).not.to.be.empty
    for (const { sql } of statements) expect(sql).not.to.include('"content"')
  })
})
