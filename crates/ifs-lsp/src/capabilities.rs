//! What the server can do, as it says to clients.

use gen_lsp_types as lsp;

use crate::text::Encoding;
use crate::tokens::LEGEND;

pub(crate) fn capabilities(encoding: Encoding) -> lsp::ServerCapabilities {
    lsp::ServerCapabilities {
        position_encoding: Some(match encoding {
            Encoding::Utf8 => lsp::PositionEncodingKind::UTF8,
            Encoding::Utf16 => lsp::PositionEncodingKind::UTF16,
        }),
        text_document_sync: Some(lsp::TextDocumentSync::Options(lsp::TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(lsp::TextDocumentSyncKind::Incremental),
            ..lsp::TextDocumentSyncOptions::default()
        })),
        code_action_provider: Some(lsp::CodeActionProvider::CodeActionOptions(
            lsp::CodeActionOptions {
                code_action_kinds: Some(vec![lsp::CodeActionKind::QuickFix]),
                ..lsp::CodeActionOptions::default()
            },
        )),
        code_lens_provider: Some(lsp::CodeLensOptions::default()),
        completion_provider: Some(lsp::CompletionOptions {
            trigger_characters: Some(vec![".".to_owned()]),
            ..lsp::CompletionOptions::default()
        }),
        definition_provider: Some(true.into()),
        document_formatting_provider: Some(true.into()),
        document_highlight_provider: Some(true.into()),
        document_range_formatting_provider: Some(true.into()),
        document_symbol_provider: Some(true.into()),
        folding_range_provider: Some(true.into()),
        hover_provider: Some(true.into()),
        inlay_hint_provider: Some(true.into()),
        references_provider: Some(true.into()),
        rename_provider: Some(
            lsp::RenameOptions { prepare_provider: Some(true), ..lsp::RenameOptions::default() }
                .into(),
        ),
        semantic_tokens_provider: Some(
            lsp::SemanticTokensOptions {
                legend: lsp::SemanticTokensLegend {
                    token_types: LEGEND.map(str::to_owned).to_vec(),
                    token_modifiers: Vec::new(),
                },
                full: Some(true.into()),
                ..lsp::SemanticTokensOptions::default()
            }
            .into(),
        ),
        ..lsp::ServerCapabilities::default()
    }
}
