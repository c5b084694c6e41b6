import { dispatch } from '#kernel/operations'
import type { AddedMembers, ApiResponse, App } from '#kernel/plugin'
import type { Instruction } from './instruction.ts'
import { readInstruction } from './read-instruction.ts'

export type { Instruction } from './instruction.ts'
export { LogicError } from './read-instruction.ts'

declare module '#kernel/plugin' {
  interface AddedMembers {
    /** Runs an operation on behalf of the program and returns the response without rendering it. */
    dispatch(instruction: Instruction): Promise<ApiResponse>
  }
}

/** Adds `app.dispatch`. */
export function programMembers(app: () => App): AddedMembers {
  return { dispatch: async (instruction) => dispatch(app(), await readInstruction(app(), instruction)) }
}
