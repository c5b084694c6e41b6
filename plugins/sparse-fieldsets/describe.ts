import type { ResourceType } from '#kernel/plugin'
import { listParameter, type OpenApiDraft } from '#openapi'
import { fieldsetMemberUnrecognized } from './errors.ts'

/** Adds one parameter for each type that the response can contain. */
export function describeFieldsets({ operations, afterPlugins }: OpenApiDraft): void {
  afterPlugins(() => {
    for (const operation of operations) {
      operation.addErrors(400, fieldsetMemberUnrecognized.definition)
      if (operation.shows.length === 0) continue
      for (const type of new Set([...operation.shows, ...operation.includable])) {
        const description = `The fields of ${type.name} to return; all by default.`
        operation.parameters.push(listParameter(`fields[${type.name}]`, description, shownFields(type)))
      }
    }
  })
}

function shownFields({ attributes, relations }: ResourceType): string[] {
  return [
    ...attributes.filter(({ hidden, writeOnly }) => hidden !== true && writeOnly !== true),
    ...relations.filter(({ hidden }) => hidden !== true),
  ].map(({ name }) => name)
}
