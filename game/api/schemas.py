"""Functions that build the JSON schemas of the OpenAPI document."""

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]


def make_ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def define_object(description: str, required: Schema, optional: Schema | None = None) -> Schema:
    return {
        "type": "object",
        "description": description,
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def define_number(description: str, **more: Any) -> Schema:
    return {"type": "number", "description": description, **more}


def define_integer(description: str, **more: Any) -> Schema:
    return {"type": "integer", "description": description, **more}


def define_list(items: Schema, description: str = "", **more: Any) -> Schema:
    described = {"description": description} if description else {}
    return {"type": "array", "items": items, **described, **more}


def make_content(schema: Schema, examples: dict[str, Any] | None = None) -> Schema:
    shown = {name: {"value": value} for name, value in (examples or {}).items()}
    content = {"schema": schema, **({"examples": shown} if shown else {})}
    return {"application/json": content}


def make_refusal(status: str, description: str) -> Schema:
    facts: Schema = {"description": description, "content": make_content(make_ref("Refusal"))}
    if status == "429":
        facts["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "required": True}}
    return facts


def make_post_operation(
    summary: str, operation: str, asks: Schema, answers: Schema, refusals: Mapping[str, str]
) -> Schema:
    return {
        "post": {
            "summary": summary,
            "operationId": operation,
            "requestBody": {"required": True, "content": asks},
            "responses": {
                "200": {"description": summary, "content": answers},
                **{status: make_refusal(status, text) for status, text in refusals.items()},
            },
        }
    }
