import type Koa from 'koa'
import { getOrCreate } from '../lib/get-or-create.ts'
import { type ConstantHeader, constantHeader, setConstant } from './constant-header.ts'

/** What `Vary` says once a field is added to what it says; both are said by programs, and not by their clients. */
const varying = new Map<string, Map<string, ConstantHeader>>()

/** Koa's own takes apart all fields that are there for each that is added. */
export function vary(this: Koa.Response, fields: string | string[]): void {
  const known = String(this.res.getHeader('Vary') ?? '')
  const added = String(fields)
  const combined = varying.get(known)?.get(added) ?? learn(known, added)
  if (combined.value !== known) setConstant(this.res, combined)
}

function learn(known: string, added: string): ConstantHeader {
  const combined = constantHeader('Vary', combine(known, added))
  getOrCreate(varying, known, () => new Map<string, ConstantHeader>()).set(added, combined)
  return combined
}

function combine(known: string, fields: string): string {
  return fields.split(',').reduce((all, field) => withField(all, field.trim()), known)
}

function withField(known: string, field: string): string {
  if (known === '' || field === '*') return field
  if (known === '*' || `, ${known},`.toLowerCase().includes(`, ${field.toLowerCase()},`)) return known
  return `${known}, ${field}`
}

/** Marks the answer as dependent on the principal: see `restrictCaching`. */
export function markVariesByPrincipal(ctx: Koa.Context): void {
  if (ctx.state.variesByPrincipal) return
  ctx.state.variesByPrincipal = true
  ctx.vary('Authorization')
}

/**
 * Adds `Vary: Authorization` to an answer that depends on the principal, and makes it `private`: a shared cache would
 * give it to other clients. Runs last, so that no plugin and no middleware can undo it.
 */
export function restrictCaching(ctx: Koa.Context): void {
  if (!ctx.state.variesByPrincipal) return
  ctx.vary('Authorization')
  const header = ctx.response.get('Cache-Control')
  if (/\b(public|s-maxage)\b/i.test(header)) ctx.set('Cache-Control', toPrivate(header))
}

/** The directives without those that allow shared caches. */
function toPrivate(header: string): string {
  const directives = header.split(',').map((directive) => directive.trim())
  const kept = directives.filter((directive) => !/^(public|private|s-maxage=.*)$/i.test(directive))
  return ['private', ...kept].join(', ')
}
