import {
  type Context,
  denial,
  markVariesByPrincipal,
  type Operation,
  type Plugin,
  type Principal,
  type ResourceType,
} from '#kernel/plugin'
import { type Condition, compare, never } from '#kernel/queries'

const prefix = 'tenant:'

/** Limits every type whose entity has a property `tenant` to the tenant of the requester, and sets it on new rows. */
export function tenants(): Plugin {
  return {
    name: 'tenants',

    planType({ type, scope }) {
      if (!hasTenant(type)) return
      scope.push({ of: 'addressed', condition: rowsOfTenant }, { of: 'written', condition: rowsOfTenant })
    },

    plan({ kind, type, beforeSave }) {
      if (kind === 'Create' && type && hasTenant(type)) beforeSave.push(setTenant)
    },
  }
}

function setTenant({ kind, context }: Operation, entity: object | null): void {
  if (context.trusted) return
  const tenant = tenantOf(context.principal)
  if (tenant === null) throw denial(context.principal, kind)
  Object.assign(entity as object, { tenant })
}

/** Matches no row if the requester has no tenant. A program that dispatches without a principal sees all rows. */
function rowsOfTenant(_: ResourceType, { request, principal, trusted }: Context): Condition | undefined {
  if (trusted) return undefined
  if (request) markVariesByPrincipal(request.ctx)
  const tenant = tenantOf(principal)
  return tenant === null ? never : compare('tenant', '=', tenant)
}

/** Returns the name in the role `tenant:<name>`; null unless the requester has exactly one such role. */
function tenantOf(principal: Principal | null): string | null {
  const roles = principal?.roles.filter((role) => role.startsWith(prefix)) ?? []
  return roles.length === 1 ? (roles[0]?.slice(prefix.length) ?? null) : null
}

function hasTenant({ shape }: ResourceType): boolean {
  return shape.properties.has('tenant')
}
