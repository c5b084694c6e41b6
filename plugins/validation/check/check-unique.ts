import { type Phrase, phrase, validationFailed, verbatim } from '#kernel/errors'
import { type Attribute, escapePointer, type Operation, type ResourceType } from '#kernel/plugin'
import { isTaken } from '#query'

/** Throws a 422 if another resource has the values of `uniqueEntity()`. Queries only if one of its fields was sent. */
export async function checkUnique(operation: Operation, row: object | null): Promise<void> {
  const { target, input, kind } = operation
  if (!row || (kind !== 'Create' && kind !== 'Update')) return
  const sent = input?.attributes ?? {}
  for (const { options } of target.type.attributes) {
    const names = options.rules?.uniqueEntity
    if (!names) continue
    const firstSent = names.find((name) => Object.hasOwn(sent, name))
    if (
      firstSent === undefined ||
      !(await isTaken(target.type, listProperties(names, target.type), row, operation.context))
    )
      continue
    const pointer = `/data/attributes/${escapePointer(firstSent)}`
    throw validationFailed(
      { message: phrase('{names} must be unique.', { names: quoted(names) }) },
      { source: { pointer } },
    )
  }
}

/** The properties of each `uniqueEntity()`. */
export function listUniques(type: ResourceType): (readonly string[])[] {
  return type.attributes.flatMap(({ options }) => {
    const names = options.rules?.uniqueEntity
    return names ? [listProperties(names, type)] : []
  })
}

function listProperties(names: readonly string[], { fields }: ResourceType): readonly string[] {
  return names.map((name) => (fields.get(name) as Attribute | undefined)?.property as string)
}

function quoted(names: readonly string[]): Phrase {
  return verbatim(names.map((name) => `'${name}'`).join(' and '))
}
