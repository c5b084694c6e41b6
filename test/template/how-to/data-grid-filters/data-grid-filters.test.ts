import { expect } from 'chai'
import { statementsOf } from '#test/support/statements.ts'
import { pluginsWithExpressions } from '#test/template/support/filterable.ts'
import { type Recipe, runRecipe, startRecipe } from '../support.ts'
import { toWhere } from './client/grid.ts'
import { withExpressions } from './client/react-admin.ts'

describe('docs/how-to/data-grid-filters.md', () => {
  let recipe: Recipe
  before(async () => {
    recipe = await startRecipe('data-grid-filters', { plugins: pluginsWithExpressions })
  })
  after(() => recipe.close())

  const idsOf = async (where: string) => {
    const { status, body, text } = await recipe.client.get(`/tasks?filter[where]=${encodeURIComponent(where)}`)
    expect(status, text).to.equal(200)
    return body.data.map(({ id }: { id: string }) => id)
  }

  it('shows the responses that the application returns', () => runRecipe('data-grid-filters', recipe))

  it('reads an expression and its count in two statements', async () => {
    const query = "or(eq(status,'open'),has(labels,eq(name,'urgent')))"
    expect(await statementsOf(() => idsOf(query))).to.have.length(2)
  })

  it('returns the rows that the filter model of a grid selects', async () => {
    const title = { field: 'title', operator: 'contains', value: "t's" }
    const priority = { field: 'priority', operator: '>=', value: 4 }
    expect(toWhere({ items: [title] })).to.equal("and(contains(title,'t''s'))")
    expect(await idsOf(toWhere({ items: [title, priority], logicOperator: 'or' }) as string)).to.deep.equal(['1', '4'])
    const status = { field: 'status', operator: 'isAnyOf', value: ['open', 'done'] }
    const due = { field: 'dueOn', operator: 'isEmpty' }
    expect(await idsOf(toWhere({ items: [status, due] }) as string)).to.deep.equal(['3'])
    expect(await idsOf(toWhere({ items: [{ field: 'dueOn', operator: 'isNotEmpty' }] }) as string)).to.deep.equal([
      '1',
      '2',
    ])
    expect(toWhere({ items: [{ field: 'title', operator: 'contains' }] })).to.equal(undefined)
  })

  it('returns the rows that the filters of react-admin select', async () => {
    const sent: string[] = []
    const getList = withExpressions(
      async (resource: string, { filter }: { filter: Readonly<Record<string, unknown>> }) => {
        sent.push(resource)
        return filter.where === undefined ? null : idsOf(String(filter.where))
      },
    )
    expect(await getList('tasks', { filter: { title: 'e', priority_ge: 4 } })).to.deep.equal(['1', '4'])
    expect(await getList('tasks', { filter: { status: ['done', 'waiting'], 'labels.name': 'gard' } })).to.deep.equal([
      '3',
      '4',
    ])
    expect(await getList('tasks', { filter: {} })).to.equal(null)
    expect(sent).to.deep.equal(['tasks', 'tasks', 'tasks'])
  })
})
