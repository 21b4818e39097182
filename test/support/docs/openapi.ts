import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** The parts of an OpenAPI document that tests read. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, ResponseObject>>;
    readonly headers: Readonly<Record<string, { readonly required?: boolean }>>;
  };
}

export interface Operation {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly description?: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, ResponseObject | { readonly $ref: string }>>;
}

export interface ResponseObject {
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface MediaType {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export function operationsOf(document: Document): { path: string; method: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

/** The documented response of an operation for a status. */
export function responseOf(document: Document, operation: Operation, status: number | string): ResponseObject {
  const response = operation.responses[status];
  if (!response) throw new Error(`${operation.operationId} does not document status ${status}`);
  return '$ref' in response ? (document.components.responses[lastSegment(response.$ref)] as ResponseObject) : response;
}

/** The names of the headers that the response always has. */
export function requiredHeaders(document: Document, response: ResponseObject): string[] {
  return Object.entries(response.headers ?? {})
    .filter(([, { $ref }]) => document.components.headers[lastSegment($ref)]?.required)
    .map(([name]) => name);
}

/** Returns a function that validates a value against a schema of the document and returns the problems. */
export function createValidator(document: Document): (schema: object, value: unknown) => string[] {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'document', components: document.components }); // so that each component is compiled once
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, validate);
    return validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
  };
}

function lastSegment(ref: string): string {
  return ref.split('/').at(-1) as string;
}
