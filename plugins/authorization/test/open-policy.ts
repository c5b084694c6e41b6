import type { Awaitable, Principal } from '#kernel/plugin'
import { Policy, type PolicyContext, type PolicyInput } from '../index.ts'

/** Allows every ability without reading a row. Test policies extend it and override single abilities. */
export class OpenPolicy extends Policy {
  static override readonly needs: Record<string, readonly string[]> = { view: [], update: [], delete: [] }
  override viewAny(_principal: Principal | null, _context: PolicyContext): Awaitable<boolean> {
    return true
  }
  override view(_principal: Principal | null, _row: object, _context: PolicyContext): Awaitable<boolean> {
    return true
  }
  override create(_principal: Principal | null, _input: PolicyInput, _context: PolicyContext): Awaitable<boolean> {
    return true
  }
  override update(_principal: Principal | null, _row: object, _context: PolicyContext): Awaitable<boolean> {
    return true
  }
  override delete(_principal: Principal | null, _row: object, _context: PolicyContext): Awaitable<boolean> {
    return true
  }
}
