import type { OpenApiDraft, Schema } from '#openapi'
import { changeKinds } from '#plugins/change-log/index.ts'
import { isHistory, pageParameter, pageSize } from './fetch-history.ts'

const nullableText: Schema = { type: ['string', 'null'] }
const values: Schema = {
  type: ['object', 'null'],
  description:
    'Values by member. A related resource is an identifier. Members that the requester may not see are left out.',
}

const change: Schema = {
  type: 'object',
  required: ['type', 'id', 'attributes'],
  properties: {
    type: { type: 'string', const: 'changes' },
    id: { type: 'string' },
    attributes: {
      type: 'object',
      required: ['kind', 'members', 'before', 'after', 'principal', 'requestId', 'changedAt'],
      properties: {
        kind: { type: 'string', enum: changeKinds },
        members: { type: 'array', items: { type: 'string' } },
        before: values,
        after: values,
        principal: nullableText,
        requestId: nullableText,
        changedAt: { type: 'string', format: 'date-time' },
      },
    },
  },
}

/** Describes the histories of a server. */
export function describeHistory({ operations, component }: OpenApiDraft): void {
  for (const { route, type, object, parameters, successes } of operations) {
    if (!isHistory(route?.action) || !type) continue
    const schema = component('HistoryDocument', () => ({
      type: 'object',
      required: ['data', 'jsonapi'],
      properties: {
        data: { type: 'array', items: change, maxItems: pageSize },
        links: {
          type: 'object',
          properties: {
            self: { type: 'string', format: 'uri-reference' },
            describedby: { type: 'string', format: 'uri-reference' },
            next: { type: 'string', format: 'uri-reference', description: 'Older changes; missing on the last page.' },
          },
        },
        jsonapi: { type: 'object' },
      },
    }))
    object.summary = `History of a resource of the type ${type.name}`
    object.description = `The changes of the resource, newest first, at most ${pageSize}. The link \`next\` leads to older ones.`
    const description = 'Returns changes before this position; see the link `next`.'
    parameters.push({
      name: pageParameter,
      in: 'query',
      description,
      schema: { type: 'string', pattern: '^\\d{1,18}$' },
    })
    successes.clear()
    successes.set(200, { description: 'The changes of the resource.', schema })
  }
}
