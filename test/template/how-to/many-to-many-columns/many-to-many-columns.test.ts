import { expect } from 'chai'
import { statementsOf } from '#test/support/statements.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'

describe('docs/how-to/many-to-many-columns.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('many-to-many-columns')
  })
  after(() => recipe.close())

  it('shows the responses that the application returns', () => runRecipe('many-to-many-columns', recipe))

  it('creates a project with members and their columns by one request', async () => {
    const members = { data: [{ type: 'people', id: '2', meta: { pivot: { role: 'lead', hours: 5 } } }] }
    const data = { type: 'projects', attributes: { title: 'Compiler' }, relationships: { members } }
    const { status, body } = await recipe.client.post('/projects?include=members', { data })
    expect(status).to.equal(201)
    expect(body.data.relationships.members.data[0].meta.pivot).to.deep.include({ role: 'lead', hours: 5 })
  })

  it('reads members and their columns by one statement for all projects', async () => {
    expect(await statementsOf(() => recipe.client.get('/projects?include=members'))).to.have.length(2)
  })
})
