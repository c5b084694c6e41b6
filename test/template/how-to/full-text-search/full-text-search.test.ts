import { expect } from 'chai'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'
import { Article } from './resources/articles/entity.ts'

describe('docs/how-to/full-text-search.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('full-text-search')
  })
  after(() => recipe.close())

  it('shows the responses that the application returns', () => runRecipe('full-text-search', recipe))

  it('finds an article after it is created and changed', async () => {
    const attributes = { title: 'Sailing', body: 'Boats.' }
    const { status, body } = await recipe.client.post('/articles', { data: { type: 'articles', attributes } })
    expect(status).to.equal(201)
    const { id } = body.data
    expect(await found('boat')).to.deep.equal([id])
    await recipe.client.patch(`/articles/${id}`, { data: { type: 'articles', id, attributes: { body: 'Kites.' } } })
    expect(await found('boat')).to.deep.equal([])
    expect(await found('kite')).to.deep.equal([id])
  })

  it('treats operators and quotes of the query as text', async () => {
    for (const text of ["'", '&|!', 'a:*', '<->', '"', '\\', '%', ';--']) {
      expect((await recipe.client.get(`/articles?filter[search]=${encodeURIComponent(text)}`)).status, text).to.equal(
        200,
      )
    }
  })

  it('has the migration that the entity describes', async () => {
    const difference = await recipe.database.orm.schema.getUpdateSchemaSQL({
      safe: true,
      dropTables: false,
      wrap: false,
    })
    expect(difference).to.equal('')
  })

  it('uses the index', async () => {
    const { em } = recipe.database.orm
    const plan = await em.fork().transactional(async (transaction) => {
      await transaction.execute('set local enable_seqscan = off')
      const query = transaction.createQueryBuilder(Article).where({ document: { $fulltext: 'database' } })
      return transaction.execute(`explain ${query.getFormattedQuery()}`)
    })
    expect(JSON.stringify(plan)).to.include('articles_document_index')
  })

  async function found(text: string): Promise<string[]> {
    const { body } = await recipe.client.get(`/articles?filter[search]=${text}`)
    return body.data.map(({ id }: { id: string }) => id)
  }
})
