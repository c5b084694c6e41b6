import type { Attribute, Relation, ResourceType } from '#kernel/plugin'
import { listParameter, type OpenApiDraft } from '#openapi'
import { fieldsetMemberUnrecognized } from './errors.ts'

/** Adds one parameter for each type that the response can contain. */
export function describeFieldsets({ operations, afterPlugins }: OpenApiDraft): void {
  afterPlugins(() => {
    for (const operation of operations) {
      operation.addErrors(400, fieldsetMemberUnrecognized.definition)
      if (operation.shows.length === 0) continue
      for (const type of new Set([...operation.shows, ...operation.includable])) {
        const description = `The fields of ${type.name} to return; ${describeDefault(type)}.`
        operation.parameters.push(
          listParameter(
            `fields[${type.name}]`,
            description,
            listShown(type).map(({ name }) => name),
          ),
        )
      }
    }
  })
}

/** The fields that are returned without a fieldset. */
function describeDefault(type: ResourceType): string {
  const omitted = listShown(type).filter(({ name }) => type.defaultFields?.has(name) === false)
  if (omitted.length === 0) return 'all by default'
  const names = omitted.map(({ name, role }) =>
    role === 'relation' ? `${name} (returned where it is included)` : name,
  )
  return `by default all but ${names.join(', ')}`
}

function listShown({ attributes, relations }: ResourceType): (Attribute | Relation)[] {
  return [
    ...attributes.filter(({ hidden, writeOnly }) => hidden !== true && writeOnly !== true),
    ...relations.filter(({ hidden }) => hidden !== true),
  ]
}
