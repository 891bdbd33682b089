// A small, closed evaluator of plain JavaScript, for the demo model: enough to run a small module and its tests.
//
// The code comes from a workspace, so it is untrusted. Nothing of the extension can be reached from it: no globals, no prototypes,
// no `eval`; objects have no prototype, methods are a fixed list, and every step costs fuel. What it does not know is `Unsupported`.
import type { AnyNode, Expression, Function as FunctionNode, Pattern, Program, Statement, SpreadElement, Super } from "acorn";
import { callArrayMethod, callStringMethod, isList, numberMethods, standardGlobals } from "./standard-library.ts";

export class Unsupported extends Error {
  override readonly name = "Unsupported";
}

/** A `throw` of the code itself. */
export class Thrown extends Error {
  override readonly name = "Thrown";
  constructor(readonly value: unknown) {
    super("thrown");
  }
}

export type Callable = (...args: readonly unknown[]) => unknown;
export type Bindings = ReadonlyMap<string, unknown>;

/** Steps until a run is given up: a wrong guess may well be an endless loop. */
const FUEL = 200_000;

class Scope {
  readonly #values = new Map<string, unknown>();
  constructor(readonly parent: Scope | null) {}

  declare(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  read(name: string): unknown {
    if (this.#values.has(name)) return this.#values.get(name);
    if (this.parent === null) throw new Unsupported(`the name ${name}`);
    return this.parent.read(name);
  }

  assign(name: string, value: unknown): void {
    if (this.#values.has(name)) this.#values.set(name, value);
    else if (this.parent === null) throw new Unsupported(`the name ${name}`);
    else this.parent.assign(name, value);
  }
}

type Completion = { readonly kind: "normal" | "break" | "continue" } | { readonly kind: "return"; readonly value: unknown };
const NORMAL: Completion = { kind: "normal" };

/** Runs a module. `resolve` gives the exports of what it imports. Returns its own exports. */
export function evaluateModule(program: Program, resolve: (specifier: string) => Bindings, extra: Readonly<Record<string, unknown>> = {}): Map<string, unknown> {
  return new Evaluator(resolve, extra).run(program);
}

class Evaluator {
  readonly #resolve: (specifier: string) => Bindings;
  readonly #globals = new Scope(null);
  #fuel = FUEL;

  constructor(resolve: (specifier: string) => Bindings, extra: Readonly<Record<string, unknown>>) {
    this.#resolve = resolve;
    for (const [name, value] of Object.entries({ ...standardGlobals, ...extra })) this.#globals.declare(name, value);
  }

  run(program: Program): Map<string, unknown> {
    const scope = new Scope(this.#globals);
    const exported = new Map<string, () => unknown>();
    const body = program.body.flatMap((node): Statement[] => {
      switch (node.type) {
        case "ImportDeclaration": {
          const bindings = this.#resolve(String(node.source.value));
          for (const specifier of node.specifiers) {
            if (specifier.type === "ImportNamespaceSpecifier") scope.declare(specifier.local.name, objectOf(bindings));
            else scope.declare(specifier.local.name, readBinding(bindings, specifier.type === "ImportDefaultSpecifier" ? "default" : nameOf(specifier.imported)));
          }
          return [];
        }
        case "ExportNamedDeclaration": {
          for (const { local, exported: as } of node.specifiers) exported.set(nameOf(as), () => scope.read(nameOf(local)));
          const declaration = node.declaration;
          if (declaration === null || declaration === undefined) return [];
          const names = declaration.type === "VariableDeclaration" ? declaration.declarations.map(({ id }) => nameOf(id)) : [declaration.id.name];
          for (const name of names) exported.set(name, () => scope.read(name));
          return [declaration];
        }
        case "ExportDefaultDeclaration": {
          const { declaration } = node;
          if (declaration.type === "FunctionDeclaration") {
            const made = this.#closure(declaration, scope);
            if (declaration.id !== null) scope.declare(declaration.id.name, made);
            exported.set("default", () => made);
          } else if (declaration.type === "ClassDeclaration") {
            throw new Unsupported("a class");
          } else {
            exported.set("default", () => this.#value(declaration, scope));
          }
          return [];
        }
        case "ExportAllDeclaration":
          throw new Unsupported("export *");
        default:
          return [node];
      }
    });
    this.#block(body, scope);
    return new Map([...exported].map(([name, read]) => [name, read()]));
  }

  #block(body: readonly Statement[], scope: Scope): Completion {
    for (const node of body) {
      if (node.type === "FunctionDeclaration") scope.declare(node.id.name, this.#closure(node, scope));
    }
    for (const node of body) {
      const completion = this.#statement(node, scope);
      if (completion.kind !== "normal") return completion;
    }
    return NORMAL;
  }

  #statement(node: Statement, scope: Scope): Completion {
    this.#burn();
    switch (node.type) {
      case "FunctionDeclaration":
      case "EmptyStatement":
        return NORMAL;
      case "ExpressionStatement":
        this.#value(node.expression, scope);
        return NORMAL;
      case "VariableDeclaration":
        for (const { id, init } of node.declarations) this.#bind(id, init === null || init === undefined ? undefined : this.#value(init, scope), scope);
        return NORMAL;
      case "ReturnStatement":
        return { kind: "return", value: node.argument ? this.#value(node.argument, scope) : undefined };
      case "ThrowStatement":
        throw new Thrown(this.#value(node.argument, scope));
      case "BlockStatement":
        return this.#block(node.body, new Scope(scope));
      case "IfStatement":
        if (this.#value(node.test, scope)) return this.#statement(node.consequent, new Scope(scope));
        return node.alternate ? this.#statement(node.alternate, new Scope(scope)) : NORMAL;
      case "BreakStatement":
        return { kind: "break" };
      case "ContinueStatement":
        return { kind: "continue" };
      case "WhileStatement":
        while (this.#value(node.test, scope)) {
          const completion = this.#statement(node.body, new Scope(scope));
          if (completion.kind === "return") return completion;
          if (completion.kind === "break") break;
        }
        return NORMAL;
      case "ForStatement": {
        const outer = new Scope(scope);
        if (node.init?.type === "VariableDeclaration") this.#statement(node.init, outer);
        else if (node.init) this.#value(node.init, outer);
        for (; !node.test || this.#value(node.test, outer); node.update ? this.#value(node.update, outer) : undefined) {
          const completion = this.#statement(node.body, new Scope(outer));
          if (completion.kind === "return") return completion;
          if (completion.kind === "break") break;
        }
        return NORMAL;
      }
      case "ForOfStatement": {
        if (node.left.type !== "VariableDeclaration") throw new Unsupported("for-of without a declaration");
        const pattern = node.left.declarations[0]?.id;
        for (const item of iterable(this.#value(node.right, scope))) {
          const inner = new Scope(scope);
          if (pattern !== undefined) this.#bind(pattern, item, inner);
          const completion = this.#statement(node.body, inner);
          if (completion.kind === "return") return completion;
          if (completion.kind === "break") break;
        }
        return NORMAL;
      }
      default:
        throw new Unsupported(node.type);
    }
  }

  #value(node: Expression | Super, scope: Scope): unknown {
    this.#burn();
    switch (node.type) {
      case "Literal":
        if (node.regex || node.bigint) throw new Unsupported("a regular expression");
        return node.value;
      case "Identifier":
        return node.name === "undefined" ? undefined : scope.read(node.name);
      case "TemplateLiteral":
        return node.quasis.reduce((text, quasi, place) => {
          const inner = node.expressions[place];
          return text + (quasi.value.cooked ?? "") + (inner === undefined ? "" : textOf(this.#value(inner, scope)));
        }, "");
      case "ArrayExpression":
        return this.#list(node.elements, scope);
      case "ObjectExpression": {
        const made: Record<string, unknown> = Object.create(null);
        for (const property of node.properties) {
          if (property.type === "SpreadElement") Object.assign(made, plain(this.#value(property.argument, scope)));
          else if (property.kind !== "init") throw new Unsupported("an accessor");
          else made[property.computed ? textOf(this.#value(property.key, scope)) : keyOf(property.key)] = this.#value(property.value, scope);
        }
        return made;
      }
      case "ArrowFunctionExpression":
      case "FunctionExpression":
        return this.#closure(node, scope);
      case "UnaryExpression":
        return unary(node.operator, this.#value(node.argument, scope));
      case "BinaryExpression":
        if (node.left.type === "PrivateIdentifier") throw new Unsupported("a private name");
        return binary(node.operator, this.#value(node.left, scope), this.#value(node.right, scope));
      case "LogicalExpression": {
        const left = this.#value(node.left, scope);
        if (node.operator === "&&") return left ? this.#value(node.right, scope) : left;
        if (node.operator === "||") return left ? left : this.#value(node.right, scope);
        return left ?? this.#value(node.right, scope);
      }
      case "ConditionalExpression":
        return this.#value(node.test, scope) ? this.#value(node.consequent, scope) : this.#value(node.alternate, scope);
      case "AssignmentExpression": {
        const operator = node.operator.slice(0, -1);
        const right = this.#value(node.right, scope);
        if (operator === "") {
          this.#bind(node.left, right, scope, true);
          return right;
        }
        const next = binary(operator, this.#value(node.left as Expression, scope), right);
        this.#bind(node.left, next, scope, true);
        return next;
      }
      case "UpdateExpression": {
        const before = this.#value(node.argument, scope) as number;
        const after = node.operator === "++" ? before + 1 : before - 1;
        this.#bind(node.argument as Pattern, after, scope, true);
        return node.prefix ? after : before;
      }
      case "SequenceExpression":
        return node.expressions.reduce<unknown>((_last, inner) => this.#value(inner, scope), undefined);
      case "ParenthesizedExpression":
      case "ChainExpression":
        return this.#value(node.expression, scope);
      case "MemberExpression": {
        const target = this.#value(node.object, scope);
        if (node.optional && (target === null || target === undefined)) return undefined;
        return readMember(target, this.#key(node, scope));
      }
      case "CallExpression":
        return this.#call(node, scope);
      case "NewExpression": {
        const name = node.callee.type === "Identifier" ? node.callee.name : "";
        if (!/^(Type|Range)?Error$/.test(name)) throw new Unsupported(`new ${name}`);
        return Object.assign(Object.create(null), { name, message: textOf(this.#list(node.arguments, scope)[0] ?? "") });
      }
      default:
        throw new Unsupported(node.type);
    }
  }

  #call(node: Extract<Expression, { type: "CallExpression" }>, scope: Scope): unknown {
    if (node.callee.type === "MemberExpression") {
      const target = this.#value(node.callee.object, scope);
      if ((node.callee.optional || node.optional) && (target === null || target === undefined)) return undefined;
      const key = this.#key(node.callee, scope);
      const args = this.#list(node.arguments, scope);
      if (typeof target === "string") return callStringMethod(target, key, args);
      if (isList(target)) return callArrayMethod(target, key, args);
      if (typeof target === "number" && Object.hasOwn(numberMethods, key)) return numberMethods[key]?.(target, args);
      return callable(readMember(target, key))(...args);
    }
    return callable(this.#value(node.callee, scope))(...this.#list(node.arguments, scope));
  }

  #closure(node: FunctionNode | Extract<Expression, { type: "ArrowFunctionExpression" }>, scope: Scope): Callable {
    if (node.async || node.generator) throw new Unsupported("an async function");
    return (...args) => {
      this.#burn();
      const inner = new Scope(scope);
      for (const [place, parameter] of node.params.entries()) {
        if (parameter.type === "RestElement") this.#bind(parameter.argument, args.slice(place), inner);
        else this.#bind(parameter, args[place], inner);
      }
      if (node.body.type !== "BlockStatement") return this.#value(node.body, inner);
      const completion = this.#block(node.body.body, inner);
      return completion.kind === "return" ? completion.value : undefined;
    };
  }

  #bind(pattern: Pattern, value: unknown, scope: Scope, isAssignment = false): void {
    switch (pattern.type) {
      case "Identifier":
        if (isAssignment) scope.assign(pattern.name, value);
        else scope.declare(pattern.name, value);
        return;
      case "AssignmentPattern":
        return this.#bind(pattern.left, value === undefined ? this.#value(pattern.right, scope) : value, scope, isAssignment);
      case "ArrayPattern": {
        const items = [...iterable(value)];
        for (const [place, element] of pattern.elements.entries()) {
          if (element === null) continue;
          if (element.type === "RestElement") this.#bind(element.argument, items.slice(place), scope, isAssignment);
          else this.#bind(element, items[place], scope, isAssignment);
        }
        return;
      }
      case "ObjectPattern":
        for (const property of pattern.properties) {
          if (property.type === "RestElement") throw new Unsupported("rest of an object");
          this.#bind(property.value, readMember(value, keyOf(property.key)), scope, isAssignment);
        }
        return;
      case "MemberExpression": {
        const target = this.#value(pattern.object, scope);
        const key = this.#key(pattern, scope);
        if (isList(target) && /^\d{1,5}$/.test(key)) (target as unknown[])[Number(key)] = value;
        else plain(target)[key] = value;
        return;
      }
      default:
        throw new Unsupported(pattern.type);
    }
  }

  #key(node: Extract<Expression, { type: "MemberExpression" }>, scope: Scope): string {
    if (node.property.type === "PrivateIdentifier") throw new Unsupported("a private name");
    return node.computed ? textOf(this.#value(node.property, scope)) : keyOf(node.property);
  }

  #list(nodes: readonly (Expression | SpreadElement | null)[], scope: Scope): unknown[] {
    return nodes.flatMap((node) => {
      if (node === null) return [undefined];
      return node.type === "SpreadElement" ? [...iterable(this.#value(node.argument, scope))] : [this.#value(node, scope)];
    });
  }

  #burn(): void {
    this.#fuel -= 1;
    if (this.#fuel < 0) throw new Unsupported("so long a run");
  }
}

function readBinding(bindings: Bindings, name: string): unknown {
  if (!bindings.has(name)) throw new Unsupported(`the import ${name}`);
  return bindings.get(name);
}

function objectOf(bindings: Bindings): Record<string, unknown> {
  return Object.assign(Object.create(null), Object.fromEntries(bindings)) as Record<string, unknown>;
}

function readMember(target: unknown, key: string): unknown {
  if (typeof target === "string" || isList(target)) {
    if (key === "length") return target.length;
    if (/^\d+$/.test(key)) return target[Number(key)];
    throw new Unsupported(`the property ${key}`);
  }
  const object = plain(target);
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Only objects made here: they have no prototype, so nothing leads out of them. */
function plain(value: unknown): Record<string, unknown> {
  if (value === null || value === undefined) throw new Thrown("a property of nothing was read");
  if (typeof value === "object" && Object.getPrototypeOf(value) === null) return value as Record<string, unknown>;
  throw new Unsupported("this object");
}

function callable(value: unknown): Callable {
  if (typeof value === "function") return value as Callable;
  throw new Thrown("what was called is no function");
}

function iterable(value: unknown): Iterable<unknown> {
  if (typeof value === "string" || isList(value)) return value;
  throw new Unsupported("this loop");
}

function unary(operator: string, value: unknown): unknown {
  switch (operator) {
    case "-":
      return -(value as number);
    case "+":
      return Number(primitive(value));
    case "!":
      return !value;
    case "typeof":
      return typeof value;
    default:
      throw new Unsupported(operator);
  }
}

function binary(operator: string, leftValue: unknown, rightValue: unknown): unknown {
  if (operator === "===") return leftValue === rightValue;
  if (operator === "!==") return leftValue !== rightValue;
  const left = primitive(leftValue) as number;
  const right = primitive(rightValue) as number;
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return left / right;
    case "%":
      return left % right;
    case "**":
      return left ** right;
    case "<":
      return left < right;
    case "<=":
      return left <= right;
    case ">":
      return left > right;
    case ">=":
      return left >= right;
    default:
      throw new Unsupported(operator);
  }
}

function primitive(value: unknown): unknown {
  if (typeof value === "object" && value !== null) throw new Unsupported("an object as a number or text");
  return value;
}

export function textOf(value: unknown): string {
  return String(primitive(value));
}

function keyOf(node: Expression | AnyNode): string {
  if (node.type === "Identifier") return node.name;
  if (node.type === "Literal") return String(node.value);
  throw new Unsupported(node.type);
}

function nameOf(node: AnyNode): string {
  return keyOf(node);
}
