import { didYouMean } from '../../errors/accepted-names.ts'
import { isObject } from '../../lib/is-object.ts'
import type { App } from '../../model/app.ts'
import type { Field } from '../../model/field.ts'
import type { OperationDraft } from '../../model/operation.ts'
import type { ResourceType } from '../../model/resource-type.ts'

/** Names the attributes and relationships of a sent resource that its type does not declare. */
export function ignoredMembers(type: ResourceType, body: unknown): readonly string[] {
  const data = isObject(body) && isObject(body.data) ? body.data : {}
  const ignored: string[] = []
  for (const [member, role] of membersOfRole) {
    const sent = data[member]
    if (!isObject(sent)) continue
    for (const name of Object.keys(sent)) {
      if (type.fields.get(name)?.role !== role) ignored.push(`${member}.${name} of ${describe(type, name, role)}`)
    }
  }
  return ignored
}

const membersOfRole = [
  ['attributes', 'attribute'],
  ['relationships', 'relation'],
] as const

function describe({ name, attributes, relations }: ResourceType, sent: string, role: Field['role']): string {
  const accepted = role === 'attribute' ? attributes : relations
  return `${name}.${didYouMean(
    sent,
    accepted.map((field) => field.name),
  )}`
}

/** Names that one line of the log lists. */
const maxNames = 10

/** Logs the members that the operations of a request ignore, as JSON:API requires. Clients often misspell them. */
export function logIgnored({ logger }: App, operations: readonly OperationDraft[]): void {
  const names = operations.flatMap(({ ignored = [] }) => ignored)
  if (names.length === 0) return
  const rest = names.length > maxNames ? [`${names.length - maxNames} more`] : []
  logger?.warn(
    { ignored: [...names.slice(0, maxNames), ...rest] },
    'The request has members that its type does not declare; they are ignored.',
  )
}
