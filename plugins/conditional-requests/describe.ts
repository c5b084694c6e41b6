import { isRelationshipWrite } from '#kernel/plugin'
import type { DescribedOperation, Header, OpenApiDraft, Parameter } from '#openapi'
import { hasTag } from './create-entity-tag.ts'
import { preconditionFailed, preconditionRequired } from './errors.ts'
import { offersVersions, versionsProfile } from './profile.ts'

/** Describes ETag, the conditional headers, the statuses 304, 412 and 428, and `meta.version`. */
export function describeConditions({ operations, resources, documents, server }: OpenApiDraft): void {
  for (const operation of operations) {
    if (!operation.kind || !operation.type) continue
    if (operation.kind.startsWith('Fetch')) describeRead(operation)
    else describeWrite(operation)
  }
  if (!offersVersions(server)) return
  for (const { meta } of resources) meta.version = version
  for (const { data, meta } of documents) if (data === 'identifier' || data === 'identifiers') meta.version = version
}

const version = {
  type: 'string',
  description: `The version of the stored row or linkage; only under the profile ${versionsProfile}.`,
}

const tag: Header = {
  description: 'The entity tag of the response, for If-None-Match and If-Match.',
  schema: { type: 'string', examples: ['"751-YW5vdGhlciBkaWdlc3Q"'] },
}

function describeRead(operation: DescribedOperation): void {
  const { kind, type, relation, successes, parameters } = operation
  const success = successes.get(200)
  if (!type || !success || !hasTag({ kind, type, relation })) return
  success.headers = { ...success.headers, ETag: tag }
  successes.set(304, { description: 'The client has the current response.', headers: { ETag: tag } })
  parameters.push(header('If-None-Match', 'Entity tags, or `*`. Returns 304 if one of them matches.'))
  operation.addErrors(412, preconditionFailed.definition)
}

function describeWrite(operation: DescribedOperation): void {
  const { kind, type, shows, route, successes, parameters } = operation
  for (const [status, success] of successes) {
    if (kind === 'Action' && shows.length === 0) continue
    if (status === 200 || status === 201) success.headers = { ...success.headers, ETag: tag }
  }
  operation.addErrors(412, preconditionFailed.definition)
  if (kind === 'Create' || route?.action?.on === 'collection') return
  const subject = kind && isRelationshipWrite(kind) ? 'relationship' : 'resource'
  const description = `The entity tag of the ${subject}, or \`*\`. Returns 412 if the version in it is not the stored one.`
  parameters.push(header('If-Match', description))
  if (type?.declaration.requireIfMatch || mayDeleteMembers(operation)) {
    operation.addErrors(428, preconditionRequired.definition)
  }
}

/** Whether the write may delete members whose type requires If-Match. */
function mayDeleteMembers({ kind, type, relation }: DescribedOperation): boolean {
  if (kind !== 'Update' && kind !== 'UpdateRelationship' && kind !== 'RemoveFromRelationship') return false
  const relations = relation ? [relation] : (type?.relations ?? [])
  return relations.some(
    (changed) =>
      (changed.kind === 'hasMany' || changed.kind === 'hasOne') && changed.target.declaration.requireIfMatch === true,
  )
}

function header(name: string, description: string): Parameter {
  return { name, in: 'header', description, schema: { type: 'string' } }
}
