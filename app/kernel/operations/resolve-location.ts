import type { Context } from '../data/context.ts'

/**
 * Resolves a path of the server of an operation: against the base URL of its request; for a program against the base URI of
 * the server, or its prefix if it has none. Returns an absolute URL unchanged.
 */
export function resolveLocation(location: string, { request, server }: Context): string {
  return location.startsWith('/') ? (request?.url.base ?? (server.baseUri || server.prefix)) + location : location
}
