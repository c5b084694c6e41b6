import { expect } from 'chai'
import { discover, loadSeeds } from '#discovery'
import { countRows, type Seed, seed } from '#store'
import { root } from '#test/support/app.ts'
import { defineFactory } from '#test/support/test-kit.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'
import { Note } from './resources/notes/entity.ts'

describe('docs/how-to/seed-data.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('seed-data')
  })
  after(() => recipe.close())

  const load = async (scale = 0) => {
    const seeds = await loadSeeds<Seed>(await discover(root, ['test/template/how-to/seed-data/resources']))
    await seed(recipe.database, seeds, { scale })
    return countRows(recipe.database.orm.em.fork())
  }

  it('shows the responses that the application returns, also after the seeds are loaded again', async () => {
    await runRecipe('seed-data', recipe)
    await load()
    await runRecipe('seed-data', recipe)
  })

  it('adds 100 generated notes per unit, the same ones each time', async () => {
    expect(await load(2)).to.include({ authors: 2, notes: 202 })
    const last = () => recipe.client.get('/notes/1200')
    const { body } = await last()
    await load(2)
    expect((await last()).body).to.deep.equal(body)
  })

  describe('in a test', () => {
    const notes = defineFactory(
      Note,
      (n) => ({ title: `Note ${n}` }),
      async () => recipe.database,
    )

    it('creates a row with its required related rows', async () => {
      const { id } = await notes.create({ pinned: true })
      const { body } = await recipe.client.get(`/notes/${id}?include=author`)
      expect(body.data.attributes.pinned).to.equal(true)
      expect(body.included).to.have.length(1)
    })
  })
})
