import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import {
  isBinaryExpression,
  isBindingElement,
  isClassDeclaration,
  isConstructorDeclaration,
  isDeleteExpression,
  isExportDeclaration,
  isExpression,
  isExpressionStatement,
  isFunctionDeclaration,
  isIdentifier,
  isIfStatement,
  isImportDeclaration,
  isMethodDeclaration,
  isNewExpression,
  isPostfixUnaryExpression,
  isPrefixUnaryExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isPropertyDeclaration,
  isReturnStatement,
  isTaggedTemplateExpression,
  isThrowStatement,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is'
import { type Change, type Mutant, mutantKey, type Whole } from './mutant.ts'
import { isInsideChain, listReplacements } from './mutators.ts'
import type { ParsedFile } from './parse.ts'

export interface Mutation {
  readonly mutant: Mutant
  readonly change: Change
}

/** Returns the mutants of a file in the order of its text, with ids from `firstId`. */
export function enumerateMutants({ tree, text }: ParsedFile, file: string, firstId: number): readonly Mutation[] {
  const mutations: Mutation[] = []
  const counts = new Map<string, number>()
  const add = (node: Node, change: Change) => {
    const named = {
      file,
      name: declarationName(node),
      before: oneLine(text.slice(change.start, change.end)),
      after: oneLine(change.after),
    }
    const count = (counts.get(mutantKey(named)) ?? 0) + 1
    counts.set(mutantKey(named), count)
    const mutant: Mutant = {
      ...named,
      name: count > 1 ? `${named.name} (${count})` : named.name,
      id: firstId + mutations.length,
      line: lineNumber(text, change.start),
      isStatic: !isInFunction(node),
    }
    mutations.push({ mutant, change })
  }
  const visit = (node: Node, depth: number): void => {
    if (isImportDeclaration(node) || isExportDeclaration(node)) return
    for (const change of [...listRemovals(node, depth), ...expressionChanges(node, depth)]) add(node, change)
    node.forEachChild((child) => visit(child, depth + 1))
  }
  visit(tree as SourceFile, 0)
  return mutations
}

/** Removes a call, an assignment, a throw, or a return without a value. */
function listRemovals(node: Node, depth: number): readonly Change[] {
  const isRemovable =
    isExpressionStatement(node) || isThrowStatement(node) || (isReturnStatement(node) && !node.expression)
  // A condition that is always false removes the only statement of a branch too.
  if (!isRemovable || isIfStatement(node.parent)) return []
  const range = { start: node.getStart(), end: node.getEnd() }
  return [{ ...range, after: '', whole: { ...range, depth, kind: 'statement' } }]
}

function expressionChanges(node: Node, depth: number): readonly Change[] {
  if (!isExpression(node) || !isReplaceable(node)) return []
  return listReplacements(node).flatMap(({ after, start = node.getStart(), end = node.getEnd() }) => {
    const whole = findWhole(node, depth)
    return isReplaceable(whole.node) ? [{ start, end, after, whole: whole.range }] : []
  })
}

/** A switch inside a chain of members and calls would break optional chaining and `this`: it encloses the whole chain. */
function findWhole(node: Node, depth: number): { readonly node: Node; readonly range: Whole } {
  if (isInsideChain(node)) return findWhole(node.parent, depth - 1)
  return { node, range: { start: node.getStart(), end: node.getEnd(), depth, kind: 'expression' } }
}

/** Returns false for names, targets of assignments, and other positions that accept no conditional expression. */
function isReplaceable(node: Node): boolean {
  const { parent } = node
  if (isPropertyAssignment(parent) || isPropertyDeclaration(parent) || isMethodDeclaration(parent)) {
    return parent.name !== node
  }
  if (isBindingElement(parent)) return parent.propertyName !== node
  if (isPropertyAccessExpression(parent)) return parent.name !== node
  if (isPrefixUnaryExpression(parent) || isPostfixUnaryExpression(parent)) {
    return parent.operator !== SyntaxKind.PlusPlusToken && parent.operator !== SyntaxKind.MinusMinusToken
  }
  if (isNewExpression(parent)) return parent.expression !== node
  if (isBinaryExpression(parent) && parent.left === node) return !isAssignment(parent.operatorToken.kind)
  return !isDeleteExpression(parent) && !isTaggedTemplateExpression(parent)
}

function isAssignment(kind: SyntaxKind): boolean {
  return kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment
}

const functions: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ArrowFunction,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
])

/** Values of object members outside of functions are evaluated with their module, like other constants. */
function isInFunction(node: Node): boolean {
  for (let at = node; at.parent; at = at.parent) {
    if (functions.has(at.parent.kind)) return true
    if (isPropertyDeclaration(at.parent)) return !/^static\b/.test(at.parent.getText())
  }
  return false
}

/** Returns the names of the enclosing declaration, as in `Authorizer.scope`. */
function declarationName(node: Node): string {
  for (let at: Node | undefined = node; at; at = at.parent) {
    if (isMethodDeclaration(at) || isPropertyDeclaration(at) || isConstructorDeclaration(at)) {
      const own = isConstructorDeclaration(at) ? 'constructor' : (at.name?.getText() ?? '')
      const owner = isClassDeclaration(at.parent) ? at.parent.name?.getText() : undefined
      return owner ? `${owner}.${own}` : own
    }
    if (isFunctionDeclaration(at) && at.name) return at.name.text
    if (isVariableDeclaration(at) && isTopLevel(at) && isIdentifier(at.name)) return at.name.text
  }
  return 'module'
}

function isTopLevel(declaration: Node): boolean {
  return declaration.parent?.parent?.parent?.kind === SyntaxKind.SourceFile
}

function lineNumber(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
