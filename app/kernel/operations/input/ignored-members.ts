import { didYouMean } from '../../errors/accepted-names.ts'
import { isObject } from '../../lib/is-object.ts'
import type { App } from '../../model/app.ts'
import type { OperationDraft } from '../../model/operation.ts'
import type { ResourceType } from '../../model/resource-type.ts'

/** Names the attributes and relationships of a sent resource that its type does not declare. */
export function ignoredMembers({ name, attributes, relations }: ResourceType, body: unknown): readonly string[] {
  const data = isObject(body) && isObject(body.data) ? body.data : {}
  return Object.entries({ attributes, relationships: relations }).flatMap(([member, fields]) => {
    const accepted = fields.map((field) => field.name)
    const sent = isObject(data[member]) ? Object.keys(data[member]) : []
    const unknown = sent.filter((one) => !accepted.includes(one))
    return unknown.map((one) => `${member}.${one} of ${name}.${didYouMean(one, accepted)}`)
  })
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
