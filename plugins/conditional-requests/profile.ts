import type { ApiRequest, App, Query, ResourceMeta, ResourceType, Server } from '#kernel/plugin'
import { buildVersion, versionNeeds } from './version.ts'

/**
 * Under this profile, resource objects have `meta.version`, and writes may name it. The URI is a name, the same in every
 * service; the page at `/profiles/versions` describes the profile.
 */
export const versionsProfile = 'https://koa-jsonapi-template.example/profiles/versions'

/** The former URI of the profile, which is still accepted. */
export const versionsUrn = 'urn:jsonapi:profile:versions'

export const versionsUris = [versionsProfile, versionsUrn]

/** Whether the response has versions. */
export function showsVersions({ profiles }: Pick<ApiRequest['media'], 'profiles'>): boolean {
  return profiles.size > 0 && versionsUris.some((uri) => profiles.has(uri))
}

/** Names the profile by the URI that the client has sent, because clients compare URIs exactly. */
export function applyVersions({ media, appliedProfiles }: ApiRequest): void {
  for (const uri of versionsUris) if (media.profiles.has(uri)) appliedProfiles.add(uri)
}

export function offersVersions({ profiles }: Server): boolean {
  return versionsUris.some((uri) => profiles.includes(uri))
}

/** Whether `meta.version` in the body has a meaning: the client names the profile in Accept or in Content-Type. */
export function readsVersions(request: ApiRequest): boolean {
  const contentType = request.ctx.headers['content-type'] ?? ''
  const isNamed = versionsUris.some((uri) => contentType.includes(uri))
  return offersVersions(request.server) && (showsVersions(request.media) || isNamed)
}

/** Selects the version of every resource that the document may show. */
export function selectVersions(query: Query, server: Server, app: App): void {
  const needs = new Map(query.needs)
  for (const type of server.types.values()) {
    needs.set(type, [...new Set([...(needs.get(type) ?? []), ...versionNeeds(type, app)])])
  }
  query.needs = needs
  query.plan = null
}

/** The `meta.version` of resource objects. */
export function versionMeta(type: ResourceType, { app }: ApiRequest): ResourceMeta {
  return (record) => {
    const version = buildVersion(type, record, app)
    return version === null ? undefined : { version }
  }
}
