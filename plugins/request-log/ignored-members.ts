import { didYouMean } from '#kernel/errors'
import { type ApiRequest, type Field, isObject, type PlannedOperation, type ResourceType } from '#kernel/plugin'

/** Names that one line of the log lists. */
const maxNames = 10

/** Logs the members that the operations of a request ignore, as JSON:API requires. Clients often misspell them. */
export function logIgnored({ app }: ApiRequest, operations: readonly PlannedOperation[]): void {
  const names = operations.flatMap(({ target, input, body }) =>
    input && body ? ignoredMembers(target.type, body) : [],
  )
  if (names.length === 0) return
  const rest = names.length > maxNames ? [`${names.length - maxNames} more`] : []
  app.logger?.warn(
    { ignored: [...names.slice(0, maxNames), ...rest] },
    'The request has members that its type does not declare; they are ignored.',
  )
}

/** Names the attributes and relationships of a sent resource that its type does not declare. */
function ignoredMembers(type: ResourceType, body: unknown): readonly string[] {
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
