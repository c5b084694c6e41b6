export { LogicError, readInstruction } from './read-instruction.ts'
