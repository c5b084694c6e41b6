import type { Principal } from '#kernel'
import { type Needs, Policy } from '#plugins/authorization/index.ts'
import type { Document } from './entity.ts'

/** Authenticated callers may read documents; editors may write them. */
export class DocumentPolicy extends Policy<Document> {
  static override readonly needs = { view: [], update: [], delete: [], upload: [] } satisfies Needs<Document>

  override viewAny(principal: Principal | null) {
    return principal !== null
  }
  override view(principal: Principal | null) {
    return principal !== null
  }
  override create(principal: Principal | null) {
    return isEditor(principal)
  }
  override update(principal: Principal | null) {
    return isEditor(principal)
  }
  override delete(principal: Principal | null) {
    return isEditor(principal)
  }
  upload(principal: Principal | null) {
    return isEditor(principal)
  }
}

function isEditor(principal: Principal | null): boolean {
  return principal?.roles.includes('editor') ?? false
}
