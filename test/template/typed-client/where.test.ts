import { expect } from 'chai'
import type { ApiOf } from '#app/api-types/api-of.ts'
import { type Client, createClient, where } from '#client'
import type labels from '#test/template/how-to/data-grid-filters/resources/labels/resource.ts'
import type tasks from '#test/template/how-to/data-grid-filters/resources/tasks/resource.ts'
import { type Recipe, startRecipe } from '#test/template/how-to/support.ts'
import { pluginsWithExpressions } from '#test/template/support/filterable.ts'

interface Folders {
  readonly tasks: { readonly resource: typeof tasks }
  readonly labels: { readonly resource: typeof labels }
}
type Api = ApiOf<Folders, 'default', Record<never, never>>

describe('Filter expressions of the TypeScript client', () => {
  let recipe: Recipe
  let api: Client<Api>
  before(async () => {
    recipe = await startRecipe('data-grid-filters', { plugins: pluginsWithExpressions })
    api = createClient<Api>({ url: recipe.client.url })
  })
  after(() => recipe.close())

  it('are composed by a function in filter.where', async () => {
    const { data: tasks } = await api.tasks.list({
      filter: {
        where: ({ or, and, eq, gt, has }) =>
          or(
            eq('status', 'open'),
            and(
              gt('priority', 3),
              has('labels', (label) => label.eq('name', 'urgent')),
            ),
          ),
      },
    })
    expect(tasks.map(({ title }) => title)).to.deep.equal(['File taxes', 'Pay rent'])
    const { data: labels } = await api.tasks.related('1', 'labels', {
      filter: { where: ({ starts }) => starts('name', 'x') },
    })
    expect(labels).to.deep.equal([])
  })

  it('have the text of all operators, with doubled quotes', () => {
    const text = where<Api, 'tasks'>(
      ({ and, or, not, has, eq, ne, ge, lt, le, contains, starts, ends, isIn, isNull }) =>
        and(
          or(eq('title', "it's"), ne('status', 'done')),
          not(has('labels')),
          has('labels', (label) => label.isIn('id', '1', '2')),
          ge('priority', 1.5),
          lt('dueOn', '2026-01-01'),
          le('priority', -1),
          contains('title', 'a'),
          starts('title', 'b'),
          ends('title', 'c'),
          isIn('priority', 1, 2),
          isNull('dueOn'),
        ),
    )
    expect(text).to.equal(
      "and(or(eq(title,'it''s'),ne(status,'done')),not(has(labels)),has(labels,in(id,'1','2')),ge(priority,1.5)," +
        "lt(dueOn,'2026-01-01'),le(priority,-1),contains(title,'a'),starts(title,'b'),ends(title,'c')," +
        'in(priority,1,2),null(dueOn))',
    )
  })
})
