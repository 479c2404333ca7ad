@0 = internal constant [4 x i8] c"0_t\00"
@1 = internal constant [6 x i8] c"1_t0a\00"
@2 = internal constant [8 x i8] c"2_t0a0r\00"
@3 = internal constant [8 x i8] c"3_t0a1r\00"
@4 = internal constant [8 x i8] c"4_t0a2r\00"
@5 = internal constant [6 x i8] c"5_t1i\00"
@array0 = internal constant [3 x ptr] [ptr inttoptr (i64 0 to ptr), ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 2 to ptr)]

define i64 @ENTRYPOINT__main() #0 {
block_0:
  %var_0 = alloca i1
  %var_3 = alloca i64
  %var_4 = alloca i64
  %var_6 = alloca i1
  %var_25 = alloca i64
  call void @__quantum__rt__initialize(ptr null)
  store i1 false, ptr %var_0
  store i64 0, ptr %var_3
  store i64 0, ptr %var_4
  br label %block_1
block_1:
  %var_29 = load i64, ptr %var_4
  %var_5 = icmp sle i64 %var_29, 2
  store i1 true, ptr %var_6
  br i1 %var_5, label %block_2, label %block_3
block_2:
  %var_32 = load i1, ptr %var_6
  br i1 %var_32, label %block_4, label %block_5
block_3:
  store i1 false, ptr %var_6
  br label %block_2
block_4:
  %var_36 = load i64, ptr %var_4
  %var_37_offset_chk = icmp slt i64 %var_36, 0
  %var_37_offset = select i1 %var_37_offset_chk, i64 1, i64 0
  %var_37 = getelementptr [3 x ptr], ptr @array0, i64 %var_37_offset, i64 %var_36
  %var_7 = load ptr, ptr %var_37
  call void @H(ptr %var_7)
  %var_9 = sitofp i64 %var_36 to double
  %var_10 = fmul double 0.3, %var_9
  %var_38_offset_chk = icmp slt i64 %var_36, 0
  %var_38_offset = select i1 %var_38_offset_chk, i64 1, i64 0
  %var_38 = getelementptr [3 x ptr], ptr @array0, i64 %var_38_offset, i64 %var_36
  %var_11 = load ptr, ptr %var_38
  call void @Ry(double %var_10, ptr %var_11)
  %var_39_offset_chk = icmp slt i64 %var_36, 0
  %var_39_offset = select i1 %var_39_offset_chk, i64 1, i64 0
  %var_39 = getelementptr [3 x ptr], ptr @array0, i64 %var_39_offset, i64 %var_36
  %var_14 = load ptr, ptr %var_39
  call void @__quantum__qis__m__body(ptr %var_14, ptr inttoptr (i64 0 to ptr))
  %var_15 = call zeroext i1 @__quantum__rt__read_result(ptr inttoptr (i64 0 to ptr))
  store i1 %var_15, ptr %var_0
  %var_41 = load i1, ptr %var_0
  br i1 %var_41, label %block_6, label %block_7
block_5:
  call void @__quantum__qis__mresetz__body(ptr inttoptr (i64 0 to ptr), ptr inttoptr (i64 1 to ptr))
  call void @__quantum__qis__mresetz__body(ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 2 to ptr))
  call void @__quantum__qis__mresetz__body(ptr inttoptr (i64 2 to ptr), ptr inttoptr (i64 3 to ptr))
  %var_33 = load i64, ptr %var_3
  store i64 %var_33, ptr %var_25
  call void @__quantum__rt__tuple_record_output(i64 2, ptr @0)
  call void @__quantum__rt__array_record_output(i64 3, ptr @1)
  call void @__quantum__rt__result_record_output(ptr inttoptr (i64 1 to ptr), ptr @2)
  call void @__quantum__rt__result_record_output(ptr inttoptr (i64 2 to ptr), ptr @3)
  call void @__quantum__rt__result_record_output(ptr inttoptr (i64 3 to ptr), ptr @4)
  %var_35 = load i64, ptr %var_25
  call void @__quantum__rt__int_record_output(i64 %var_35, ptr @5)
  ret i64 0
block_6:
  %var_44 = load i64, ptr %var_4
  %var_17 = add i64 %var_44, 1
  %var_45 = load i64, ptr %var_3
  %var_18 = add i64 %var_45, %var_17
  store i64 %var_18, ptr %var_3
  %var_19 = add i64 %var_44, 1
  %var_20 = srem i64 %var_19, 3
  %var_47_offset_chk = icmp slt i64 %var_20, 0
  %var_47_offset = select i1 %var_47_offset_chk, i64 1, i64 0
  %var_47 = getelementptr [3 x ptr], ptr @array0, i64 %var_47_offset, i64 %var_20
  %var_21 = load ptr, ptr %var_47
  call void @X(ptr %var_21)
  br label %block_7
block_7:
  %var_42 = load i64, ptr %var_4
  %var_23 = add i64 %var_42, 1
  store i64 %var_23, ptr %var_4
  br label %block_1
}

declare void @__quantum__rt__initialize(ptr)

define internal void @H(ptr %var_8) {
block_8:
  call void @__quantum__qis__h__body(ptr %var_8)
  ret void
}

declare void @__quantum__qis__h__body(ptr)

define internal void @Ry(double %var_12, ptr %var_13) {
block_9:
  call void @__quantum__qis__ry__body(double %var_12, ptr %var_13)
  ret void
}

declare void @__quantum__qis__ry__body(double, ptr)

declare void @__quantum__qis__m__body(ptr, ptr) #1

declare zeroext i1 @__quantum__rt__read_result(ptr) #2

define internal void @X(ptr %var_22) {
block_10:
  call void @__quantum__qis__x__body(ptr %var_22)
  ret void
}

declare void @__quantum__qis__x__body(ptr)

declare void @__quantum__qis__mresetz__body(ptr, ptr) #1

declare void @__quantum__rt__tuple_record_output(i64, ptr)

declare void @__quantum__rt__array_record_output(i64, ptr)

declare void @__quantum__rt__result_record_output(ptr, ptr)

declare void @__quantum__rt__int_record_output(i64, ptr)

attributes #0 = { "entry_point" "output_labeling_schema" "qir_profiles"="adaptive_profile" "required_num_qubits"="3" "required_num_results"="4" }
attributes #1 = { "irreversible" }
attributes #2 = { nofree nosync nounwind willreturn memory(argmem: read) }

; module flags

!llvm.module.flags = !{!0, !1, !2, !3, !4, !5, !6, !7, !8, !9}

!0 = !{i32 1, !"qir_major_version", i32 2}
!1 = !{i32 7, !"qir_minor_version", i32 1}
!2 = !{i32 1, !"dynamic_qubit_management", i1 false}
!3 = !{i32 1, !"dynamic_result_management", i1 false}
!4 = !{i32 5, !"int_computations", !{!"i64"}}
!5 = !{i32 5, !"float_computations", !{!"double"}}
!6 = !{i32 7, !"backwards_branching", i2 3}
!7 = !{i32 1, !"arrays", i1 true}
!8 = !{i32 1, !"ir_functions", i1 true}
!9 = !{i32 1, !"writable_results", i1 true}
