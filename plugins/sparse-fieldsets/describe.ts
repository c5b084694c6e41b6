import type { ResourceType } from '#kernel/plugin'
import { listParameter, type OpenApiDraft } from '#openapi'
import { fieldsetMemberUnrecognized } from './errors.ts'

/** One parameter for each type that may stand in the document. */
export function describeFieldsets({ operations, afterwards }: OpenApiDraft): void {
  afterwards(() => {
    for (const operation of operations) {
      operation.fail(400, fieldsetMemberUnrecognized.definition)
      if (operation.shows.length === 0) continue
      for (const type of new Set([...operation.shows, ...operation.includable])) {
        const said = `The members of ${type.name} to show; all when left out.`
        operation.parameters.push(listParameter(`fields[${type.name}]`, said, membersOf(type)))
      }
    }
  })
}

function membersOf({ attributes, relations }: ResourceType): string[] {
  return [
    ...attributes.filter(({ hidden, writeOnly }) => hidden !== true && writeOnly !== true),
    ...relations.filter(({ hidden }) => hidden !== true),
  ].map(({ name }) => name)
}
