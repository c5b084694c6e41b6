import {
  type Awaitable,
  type Context,
  callEach,
  isThenable,
  type ResourceType,
  type Row,
  type TypeStages,
} from '#kernel/plugin'
import type { CompiledAction } from './compile.ts'
import { segment } from './routes.ts'

/** The step that adds the links of actions to the rows on which the requester may run them. Sends no statement. */
export function createLinkStep(linked: readonly CompiledAction[]): TypeStages['beforeRender'] {
  return (type, rows, context) => {
    if (context.request) return callEach(linked, (action) => addLinks(action, type, rows, context))
  }
}

function addLinks(
  { name, ability, servers, definition }: CompiledAction,
  type: ResourceType,
  rows: readonly Row[],
  context: Context,
): Awaitable<void> {
  if (!servers.includes(context.server.name)) return
  const offered = definition.offersLink ? rows.filter(definition.offersLink) : rows
  if (offered.length === 0) return
  const addTo = (allowed: readonly Row[]) => {
    for (const row of allowed) context.graph.addLink(row, name, `/${segment}/${name}`)
  }
  const allowed = allowedRows(type, ability, offered, context)
  return allowed instanceof Promise ? allowed.then(addTo) : addTo(allowed)
}

/** The rows for which every plugin that authorizes allows the ability, from the step at an index on. */
function allowedRows(
  type: ResourceType,
  ability: string,
  rows: readonly Row[],
  context: Context,
  first = 0,
): Awaitable<readonly Row[]> {
  let allowed = rows
  for (const [index, allows] of type.steps.allows.entries()) {
    if (index < first) continue
    const answers = allows(type, ability, allowed, context)
    if (isThenable(answers)) {
      const candidates = allowed
      return Promise.resolve(answers).then((resolved) =>
        allowedRows(type, ability, rowsWithTrue(candidates, resolved), context, index + 1),
      )
    }
    allowed = rowsWithTrue(allowed, answers)
  }
  return allowed
}

/** An answer that is not a list allows no row. */
function rowsWithTrue(rows: readonly Row[], answers: readonly boolean[] | undefined): readonly Row[] {
  const allowed: Row[] = []
  for (const [index, row] of rows.entries()) if (answers?.[index] === true) allowed.push(row)
  return allowed
}
