import type { DeclaredResource } from '#kernel/plugin'

/** The declaration with its policy extended: every requester may do everything, and every row is in scope. */
export function withoutRestrictions(declared: DeclaredResource): DeclaredResource {
  const { resource } = declared
  const { policy } = resource.declaration as { readonly policy?: unknown }
  if (typeof policy !== 'function') return declared
  const declaration = { ...resource.declaration, policy: unrestricted(policy as PolicyClass) }
  return { ...declared, resource: { ...resource, declaration } as typeof resource }
}

type PolicyClass = new () => object

function unrestricted(policy: PolicyClass): PolicyClass {
  return class extends policy {
    before(): boolean {
      return true
    }
    scope(): boolean {
      return true
    }
    check(): boolean {
      return true
    }
  }
}
