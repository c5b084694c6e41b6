import { toApiErrors } from '#kernel/errors'
import { findWriter, parseQueryString, readQuery } from '#kernel/operations'
import { type App, isWrite, type Query, type QueryContext } from '#kernel/plugin'
import { chooseSelection } from '#kernel/store'

/** The plan of a query as rows of a table, or the faults of the query. */
export function describePlan(context: QueryContext, search: string): readonly (readonly [string, string])[] {
  const { app, server } = context
  const read = (recorded: QueryContext) =>
    readQuery(recorded, parseQueryString(search, { lists: server.listParameters }))
  try {
    app.plans.read(context, search, read)
    const { query } = app.plans.read(context, search, read)
    if (isWrite(context.kind)) return writeRows(context, query)
    return [...readRows(query), ['kept', keptText(app, search)]]
  } catch (error) {
    const errors = toApiErrors(error)
    if (errors.length === 0) throw error
    return errors.map(({ status, message }) => [`${status}`, message] as const)
  }
}

function readRows(query: Query): readonly (readonly [string, string])[] {
  const { plan, types } = query
  if (!plan) return []
  const { addressed, mode, joinsPage, scoped } = plan
  const columns = types.map((type) => {
    const { properties, links } = chooseSelection(query, type)
    return [
      `columns of ${type.name}`,
      [...properties, ...links.map(({ name }) => `key of ${name}`)].join(', '),
    ] as const
  })
  const joined = [...addressed.includes.map(({ name }) => name), ...(joinsPage ? ['the related page'] : [])]
  return [
    ['read', mode.isSingle ? 'by one statement, without a snapshot' : 'in a snapshot, by several statements'],
    ...(joined.length > 0 ? [['joined to the row', joined.join(', ')] as const] : []),
    ...columns,
    ...(scoped.length > 0 ? [['scopes computed first', scoped.map(({ name }) => name).join(', ')] as const] : []),
  ]
}

function writeRows({ app, server, kind, target }: QueryContext, query: Query): readonly (readonly [string, string])[] {
  const { type } = target
  const { reason } = findWriter(app, type)
  const { write } = app.plans.ofQuery(app, { server, kind, target, profiles: null }, query)
  const commitsByItself = write.isSingle && reason === null
  return [
    ['writer', reason === null ? 'statements' : `entities: ${reason}`],
    ...(kind === 'Create'
      ? []
      : [['stored row', write.needsRow ? 'locked and read first' : 'not read before'] as const]),
    ['commit', commitsByItself ? 'by the statement that writes, unless its input needs others' : 'of a transaction'],
  ]
}

/** Whether the query is kept by its text, and why it is not. */
function keptText({ plans }: App, search: string): string {
  if (plans.sizes.queries > 0) return 'with its plan from the second request with this text on'
  const reason = search.length > 500 ? 'the text is longer than 500 characters' : 'a function reads the request'
  return `only the plan, for queries of the same shape: ${reason}`
}
