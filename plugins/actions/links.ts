import type { Context, ResourceType, Row } from '#kernel/plugin'
import { actionsOn, segment } from './routes.ts'

/** Adds the links of actions to the rows on which the requester may run them. Sends no statement. */
export async function addLinks(type: ResourceType, rows: readonly Row[], context: Context): Promise<void> {
  if (!context.request) return
  for (const { name, ability, isLinked, definition } of actionsOn(type, context.server)) {
    if (!isLinked) continue
    const offered = definition.offersLink ? rows.filter(definition.offersLink) : rows
    const allowed = offered.length > 0 ? await allowedRows(type, ability, offered, context) : []
    for (const row of allowed) context.graph.addLink(row, name, `/${segment}/${name}`)
  }
}

/** The rows for which every plugin that authorizes allows the ability. */
async function allowedRows(
  type: ResourceType,
  ability: string,
  rows: readonly Row[],
  context: Context,
): Promise<readonly Row[]> {
  let allowed = rows
  for (const allows of type.steps.allows) {
    const answers = (await allows(type, ability, allowed, context)) ?? []
    allowed = allowed.filter((_, index) => answers[index] === true)
  }
  return allowed
}
