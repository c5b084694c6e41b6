import type { ApiRequest, App, Query, ResourceMeta, ResourceType, Server } from '#kernel/plugin'
import { versionNeeds, versionOf } from './version.ts'

/** Under this profile, resource objects have `meta.version`, and writes may name it. */
export const versionsProfile = 'urn:jsonapi:profile:versions'

/** Whether the response has versions. */
export function showsVersions({ media }: ApiRequest): boolean {
  return media.profiles.has(versionsProfile)
}

/** Whether `meta.version` in the body has a meaning: the client names the profile in Accept or in Content-Type. */
export function readsVersions(request: ApiRequest): boolean {
  const contentType = request.ctx.headers['content-type'] ?? ''
  const isOffered = request.server.profiles.includes(versionsProfile)
  return isOffered && (showsVersions(request) || contentType.includes(versionsProfile))
}

/** Selects the version of every resource that the document may show. */
export function selectVersions(query: Query, server: Server, app: App): void {
  const needs = new Map(query.needs)
  for (const type of server.types.values()) {
    needs.set(type, [...new Set([...(needs.get(type) ?? []), ...versionNeeds(type, app)])])
  }
  query.needs = needs
}

/** The `meta.version` of resource objects. Null if the client has not requested the profile. */
export function versionMeta(type: ResourceType, request: ApiRequest): ResourceMeta | null {
  if (!showsVersions(request)) return null
  return (record) => {
    const version = versionOf(type, record, request.app)
    return version === null ? undefined : { version }
  }
}
